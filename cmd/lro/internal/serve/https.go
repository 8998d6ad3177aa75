package serve

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
)

// encrypt returns a listener that uses HTTPS on ln. It also writes the CA certificate to a
// temporary file, and returns instructions for trusting this certificate and a function that
// removes the file.
func (o *options) encrypt(ln net.Listener) (secure net.Listener, trust string, remove func(), err error) {
	host, _, err := net.SplitHostPort(o.addr)
	if err != nil {
		return nil, "", nil, err
	}
	leaf, authority, err := newCertificate(host)
	if err != nil {
		return nil, "", nil, err
	}
	file, err := os.CreateTemp("", "lro-serve-*.pem")
	if err != nil {
		return nil, "", nil, err
	}
	_, err = file.Write(authority)
	err = errors.Join(err, file.Close())
	remove = func() { _ = os.Remove(file.Name()) }
	if err != nil {
		remove()
		return nil, "", nil, err
	}

	// Use only HTTP/1.1, because a fault such as drop closes the connection, which in HTTP/2 also
	// carries other requests.
	config := &tls.Config{Certificates: []tls.Certificate{leaf}, NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12}
	trust = "Set one of these variables first, so that clients trust the certificate:\n\n" +
		`  export SSL_CERT_FILE="` + file.Name() + "\" # Go on Linux, OpenSSL\n" +
		`  export CURL_CA_BUNDLE="` + file.Name() + "\"\n" + // in curl, SSL_CERT_DIR overrides SSL_CERT_FILE, but not this variable
		`  export NODE_EXTRA_CA_CERTS="` + file.Name() + "\"\n" +
		`  export REQUESTS_CA_BUNDLE="` + file.Name() + "\" # Python\n"
	return tls.NewListener(ln, config), trust, remove, nil
}

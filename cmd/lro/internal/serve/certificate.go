package serve

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"net/netip"
	"os"
	"time"
)

// certificateAge is how long the certificates are valid. Some clients reject a longer period.
const certificateAge = 365 * 24 * time.Hour

// encrypt returns a listener for https, the lines that say how to trust its certificate, and a
// function that removes the file with the certificate of the authority.
func (o *options) encrypt(ln net.Listener) (secure net.Listener, trust string, remove func(), err error) {
	host, _, err := net.SplitHostPort(o.addr)
	if err != nil {
		return nil, "", nil, err
	}
	certificate, authority, err := newCertificate(host)
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

	// HTTP/1.1 only, because a fault such as drop closes a connection, which HTTP/2 shares.
	config := &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12}
	trust = "Set one of these variables first, so that clients trust the certificate:\n\n" +
		`  export SSL_CERT_FILE="` + file.Name() + "\" # Go on Linux, curl, OpenSSL\n" +
		`  export NODE_EXTRA_CA_CERTS="` + file.Name() + "\"\n" +
		`  export REQUESTS_CA_BUNDLE="` + file.Name() + "\" # Python\n"
	return tls.NewListener(ln, config), trust, remove, nil
}

// newCertificate returns a certificate for loopback names and for host, and the certificate of the
// authority that signed it, as PEM. The key of the authority is not kept, so nobody can sign another
// certificate with it.
func newCertificate(host string) (leaf tls.Certificate, authority []byte, err error) {
	ca := template("lro serve: authority", 1)
	ca.IsCA, ca.BasicConstraintsValid = true, true
	ca.KeyUsage = x509.KeyUsageCertSign
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	caDER, err := x509.CreateCertificate(rand.Reader, ca, ca, caKey.Public(), caKey)
	if err != nil {
		return tls.Certificate{}, nil, err
	}

	server := template("lro serve", 2)
	server.KeyUsage = x509.KeyUsageDigitalSignature
	server.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	server.DNSNames = []string{"localhost"}
	server.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	if ip, err := netip.ParseAddr(host); err == nil {
		server.IPAddresses = append(server.IPAddresses, ip.AsSlice())
	} else {
		server.DNSNames = append(server.DNSNames, host)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, server, ca, key.Public(), caKey)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	leaf = tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	return leaf, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: caDER}), nil
}

// template returns what both certificates have in common.
func template(name string, serial int64) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: big.NewInt(serial),
		Subject:      pkix.Name{CommonName: name + now.Format(" 2006-01-02 15:04:05.000000")}, // a unique name, in case several are trusted
		NotBefore:    now.Add(-time.Hour),                                                     // for a client whose clock is slow
		NotAfter:     now.Add(certificateAge),
	}
}

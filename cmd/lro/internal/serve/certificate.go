package serve

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/netip"
	"time"
)

// certificateAge is how long the certificates are valid. Some clients reject certificates that are
// valid for longer.
const certificateAge = 365 * 24 * time.Hour

// newCertificate returns a server certificate for localhost, the loopback addresses and host,
// together with the CA certificate that clients must trust, as PEM. It discards the CA's private
// key, so that the CA cannot sign another certificate.
func newCertificate(host string) (leaf tls.Certificate, authority []byte, err error) {
	ca := certificateTemplate("lro serve: authority", 1)
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

	server := certificateTemplate("lro serve", 2)
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

// certificateTemplate returns a template with the fields that both certificates share.
func certificateTemplate(name string, serial int64) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: big.NewInt(serial),
		Subject:      pkix.Name{CommonName: name + now.Format(" 2006-01-02 15:04:05.000000")}, // a unique name, in case a client trusts several authorities
		NotBefore:    now.Add(-time.Hour),                                                     // for a client whose clock is slow
		NotAfter:     now.Add(certificateAge),
	}
}

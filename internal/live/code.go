package live

import "github.com/sondehq/sonde/internal/fault"

// CodeOf says why a request was refused, as far as the kind of its error tells.
func CodeOf(err error) Code {
	switch fault.KindOf(err) {
	case fault.Invalid:
		return Invalid
	case fault.Unauthenticated:
		return WrongSecret
	case fault.Forbidden:
		return Forbidden
	case fault.NotFound:
		return WrongPath
	case fault.TooLarge:
		return TooLarge
	case fault.Limited, fault.Unavailable:
		return Overloaded
	default:
		return Failed
	}
}

// Why is the reason of a refusal that has the same cause wherever it occurs, or else.
func (c Code) Why(otherwise string) string {
	switch c {
	case WrongSecret:
		return "the secret key does not belong to this public key"
	case KeyNotValid:
		return "the key is revoked or expired; make a new one"
	case WrongPath:
		return "nothing is served under this path; OTLP over HTTP goes to /api/public/otel/v1/traces"
	default:
		return otherwise
	}
}

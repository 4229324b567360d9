package license

import (
	"context"

	"panel/platform/fault"
)

type handlers struct{ service *service }

func newHandlers(s *service) *handlers { return &handlers{s} }

func (h *handlers) status(_ context.Context, _ *struct{}) (*statusOutput, error) {
	return &statusOutput{h.service.Status()}, nil
}

func (h *handlers) activate(ctx context.Context, in *activateInput) (*statusOutput, error) {
	secret := in.secret()
	if secret == "" {
		return nil, fault.Malformed("missing_field", "a required field is missing").
			Field("license_key", "missing_field", "send the license key in license_key")
	}
	return answer(h.service.Activate(ctx, secret))
}

func (h *handlers) refresh(ctx context.Context, _ *struct{}) (*statusOutput, error) {
	return answer(h.service.Refresh(ctx))
}

func (h *handlers) remove(ctx context.Context, _ *struct{}) (*statusOutput, error) {
	return answer(h.service.Remove(ctx))
}

func answer(status Status, err error) (*statusOutput, error) {
	if err != nil {
		return nil, err
	}
	return &statusOutput{status}, nil
}

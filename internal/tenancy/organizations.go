package tenancy

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// OrganizationProjects is an organization with its projects.
type OrganizationProjects struct {
	model.Organization
	Projects []model.Project // without those that are being erased
}

// Organizations returns all organizations of the installation, the oldest first.
func (s *Service) Organizations(ctx context.Context) ([]OrganizationProjects, error) {
	organizations, err := s.store.Organizations(ctx)
	if err != nil {
		return nil, err
	}
	projects, err := s.store.Projects(ctx)
	if err != nil {
		return nil, err
	}
	list, at := make([]OrganizationProjects, len(organizations)), map[string]int{}
	for i, o := range organizations {
		list[i].Organization, at[o.ID] = o, i
	}
	for _, p := range projects {
		if i, ok := at[p.Organization.ID]; ok && p.ErasingAt.IsZero() {
			list[i].Projects = append(list[i].Projects, p)
		}
	}
	return list, nil
}

// Organization returns one organization. fault.NotFound.
func (s *Service) Organization(ctx context.Context, id string) (OrganizationProjects, error) {
	o, err := s.store.Organization(ctx, id)
	if err != nil {
		return OrganizationProjects{}, known(err, "Organization")
	}
	projects, err := s.store.ProjectsOf(ctx, id)
	return OrganizationProjects{o, projects}, err
}

// CreateOrganization adds an organization under an id of ours. fault.Invalid.
func (s *Service) CreateOrganization(ctx context.Context, o model.Organization) (OrganizationProjects, error) {
	if err := checkName(o.Name); err != nil {
		return OrganizationProjects{}, err
	}
	o.ID, o.CreatedAt = uuid.NewString(), now()
	o.UpdatedAt = o.CreatedAt
	return OrganizationProjects{Organization: o}, s.store.CreateOrganization(ctx, o)
}

// ChangeOrganization replaces the name of an organization and, unless it is nil, its metadata.
// fault.Invalid, fault.NotFound.
func (s *Service) ChangeOrganization(ctx context.Context, id, name string, metadata *string) (OrganizationProjects, error) {
	o, err := s.Organization(ctx, id)
	if err != nil {
		return o, err
	}
	if err := checkName(name); err != nil {
		return o, err
	}
	o.Name, o.UpdatedAt = name, now()
	if metadata != nil {
		o.Metadata = *metadata
	}
	return o, known(s.store.UpdateOrganization(ctx, o.Organization), "Organization")
}

// DeleteOrganization removes an organization that has no projects. fault.Invalid when it has,
// fault.NotFound.
func (s *Service) DeleteOrganization(ctx context.Context, id string) error {
	err := s.store.DeleteOrganization(ctx, id)
	if errors.Is(err, metastore.ErrInUse) {
		return fault.New(fault.Invalid, "The organization still has projects").
			Hint("delete them first and wait until their data is erased").Because(err)
	}
	return known(err, "Organization")
}

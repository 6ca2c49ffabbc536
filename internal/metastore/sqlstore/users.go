package sqlstore

import (
	"context"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// CreateUser implements metastore.Users.
func (s *Store) CreateUser(ctx context.Context, u model.User) error {
	if err := metastore.CheckUser(u); err != nil {
		return err
	}
	created, updated := stamps(u.CreatedAt, u.UpdatedAt)
	_, err := s.db.ExecContext(ctx, `
		INSERT INTO users (id, email, address, name, password, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		u.ID, u.Email, metastore.Address(u.Email), u.Name, u.Password, created, updated)
	return translate("create user", err)
}

const selectUsers = `SELECT id, email, name, password, created_at, updated_at FROM users`

// User implements metastore.Users.
func (s *Store) User(ctx context.Context, id string) (model.User, error) {
	if err := metastore.CheckID("user id", id); err != nil {
		return model.User{}, err
	}
	u, err := scanUser(s.db.QueryRowContext(ctx, selectUsers+` WHERE id = $1`, id))
	return u, translate("read user", err)
}

// UserByEmail implements metastore.Users.
func (s *Store) UserByEmail(ctx context.Context, email string) (model.User, error) {
	if err := metastore.CheckEmail(email); err != nil {
		return model.User{}, err
	}
	u, err := scanUser(s.db.QueryRowContext(ctx, selectUsers+` WHERE address = $1`, metastore.Address(email)))
	return u, translate("read user", err)
}

// Users implements metastore.Users.
func (s *Store) Users(ctx context.Context, offset, limit int) ([]model.User, error) {
	return listed(ctx, s.db, "read users", scanUser, selectUsers+` ORDER BY address LIMIT $1 OFFSET $2`, limit, offset)
}

func scanUser(row scanner) (u model.User, err error) {
	var created, updated int64
	err = row.Scan(&u.ID, &u.Email, &u.Name, &u.Password, &created, &updated)
	u.CreatedAt, u.UpdatedAt = time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC()
	return u, err
}

// SetPassword implements metastore.Users.
func (s *Store) SetPassword(ctx context.Context, userID, hash string) error {
	if err := metastore.CheckPassword(userID, hash); err != nil {
		return err
	}
	done, err := s.db.ExecContext(ctx, `UPDATE users SET password = $2, updated_at = $3 WHERE id = $1`, userID, hash, time.Now().UnixMicro())
	return affected("set password", done, err)
}

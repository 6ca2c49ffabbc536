package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// CreateUser implements metastore.Users.
func (s *Store) CreateUser(ctx context.Context, u model.User) error {
	if err := metastore.CheckUser(u); err != nil {
		return err
	}
	return translate("create user", insertUser(ctx, s.db, u))
}

func insertUser(ctx context.Context, on execer, u model.User) error {
	created, updated := stamps(u.CreatedAt, u.UpdatedAt)
	_, err := on.ExecContext(ctx, `
		INSERT INTO users (id, email, address, name, password, preferences, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		u.ID, u.Email, metastore.Address(u.Email), u.Name, u.Password, u.Preferences, created, updated)
	return err
}

const (
	userColumns = `u.id, u.email, u.name, u.password, u.preferences, u.created_at, u.updated_at`
	selectUsers = `SELECT ` + userColumns + ` FROM users u`
)

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
	err = row.Scan(&u.ID, &u.Email, &u.Name, &u.Password, &u.Preferences, &created, &updated)
	u.CreatedAt, u.UpdatedAt = time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC()
	return u, err
}

// SetPassword implements metastore.Users.
func (s *Store) SetPassword(ctx context.Context, userID, hash string) error {
	if err := metastore.CheckPassword(userID, hash); err != nil {
		return err
	}
	return s.inTransaction(ctx, "set password", func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `UPDATE users SET password = $2, updated_at = $3 WHERE id = $1`, userID, hash, time.Now().UnixMicro())
		if err := oneRow(done, err); err != nil {
			return err
		}
		return deleteSessionsOf(ctx, tx, userID)
	})
}

// SetAccount implements metastore.Users.
func (s *Store) SetAccount(ctx context.Context, userID, name, preferences string) error {
	if err := metastore.CheckAccount(userID, name, preferences); err != nil {
		return err
	}
	done, err := s.db.ExecContext(ctx, `UPDATE users SET name = $2, preferences = $3, updated_at = $4 WHERE id = $1`,
		userID, name, preferences, time.Now().UnixMicro())
	return affected("set account", done, err)
}

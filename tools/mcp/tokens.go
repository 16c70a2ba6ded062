package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/oauth2"

	"github.com/swarmrun/swarmrun/internal/wholefile"
)

// token is what a sign-in left, enough to renew it in another process.
type token struct {
	Version      int              `json:"version"`
	URL          string           `json:"url"` // of the server it is for
	Token        *oauth2.Token    `json:"token"`
	ClientID     string           `json:"client_id"`
	ClientSecret string           `json:"client_secret,omitempty"`
	TokenURL     string           `json:"token_url"`
	AuthStyle    oauth2.AuthStyle `json:"auth_style"`
}

const tokenVersion = 1

func (t *token) source(ctx context.Context) oauth2.TokenSource {
	c := oauth2.Config{
		ClientID: t.ClientID, ClientSecret: t.ClientSecret,
		Endpoint: oauth2.Endpoint{TokenURL: t.TokenURL, AuthStyle: t.AuthStyle},
	}
	return c.TokenSource(ctx, t.Token)
}

func tokenFile(url string) string {
	sum := sha256.Sum256([]byte(url))
	return hex.EncodeToString(sum[:16]) + ".json"
}

// maxToken is the largest file of a token that is read, in bytes.
const maxToken = 1 << 20

// readToken gives the token of a server; nil when there is none.
func readToken(dir, url string) (*token, error) {
	path := filepath.Join(dir, tokenFile(url))
	data, err := wholefile.Read(path, maxToken)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("the token in %s can be read by others and is not used; remove it and sign in again", path)
	}
	var t token
	if json.Unmarshal(data, &t) != nil || t.Version != tokenVersion || t.URL != url || t.Token == nil {
		return nil, fmt.Errorf("the token in %s cannot be read; remove it and sign in again", path)
	}
	return &t, nil
}

func writeToken(dir, url string, t *token) error {
	t.Version, t.URL = tokenVersion, url
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	if err := wholefile.ReplacePrivate(filepath.Join(dir, tokenFile(url)), data); err != nil {
		return fmt.Errorf("store the token: %w", err)
	}
	return nil
}

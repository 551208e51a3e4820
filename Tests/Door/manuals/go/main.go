// A client with github.com/coreos/go-oidc, as its README and its example of userinfo have it.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	oidc "github.com/coreos/go-oidc"
	"golang.org/x/oauth2"
)

func main() {
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, os.Getenv("ISSUER"))
	if err != nil {
		log.Fatal(err)
	}
	verifier := provider.Verifier(&oidc.Config{ClientID: os.Getenv("CLIENT_ID")})
	config := oauth2.Config{
		ClientID: os.Getenv("CLIENT_ID"), ClientSecret: os.Getenv("CLIENT_SECRET"), Endpoint: provider.Endpoint(),
		RedirectURL: os.Getenv("SITE") + "/callback", Scopes: []string{oidc.ScopeOpenID, "profile", "email"},
	}
	state := "foobar"
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `<a href="%s">Log in</a>`, config.AuthCodeURL(state))
	})
	http.HandleFunc("/callback", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("state") != state {
			http.Error(w, "state did not match", http.StatusBadRequest)
			return
		}
		token, err := config.Exchange(ctx, r.URL.Query().Get("code"))
		if err != nil {
			http.Error(w, "no token: "+err.Error(), http.StatusInternalServerError)
			return
		}
		idToken, err := verifier.Verify(ctx, token.Extra("id_token").(string))
		if err != nil {
			http.Error(w, "no ID token: "+err.Error(), http.StatusInternalServerError)
			return
		}
		about, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
		if err != nil || about.Subject != idToken.Subject {
			http.Error(w, fmt.Sprint("no userinfo: ", err), http.StatusInternalServerError)
			return
		}
		fmt.Fprintf(w, "Hello %s", about.Email)
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}

// Generated from openapi.json by "npm run api". Do not edit.
export interface paths {
    "/agent/v1/assets/{sha256}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Fetch a file that the node needs */
        get: operations["get-agent-v1-assets-sha256"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent/v1/batches/{kind}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Deliver numbered results */
        post: operations["post-agent-v1-batches-kind"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent/v1/client-lists/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Fetch what has changed on a list of clients */
        get: operations["get-agent-v1-client-lists-id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent/v1/commands": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Wait for commands */
        get: operations["get-agent-v1-commands"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent/v1/commands/{id}/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Deliver the result of a command */
        post: operations["post-agent-v1-commands-id-result"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent/v1/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Fetch a configuration */
        get: operations["get-agent-v1-config"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent/v1/config/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Tell how an installation ended */
        post: operations["post-agent-v1-config-result"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent/v1/desired/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Fetch a document */
        get: operations["get-agent-v1-desired-name"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent/v1/heartbeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Report what the agent sees */
        post: operations["post-agent-v1-heartbeat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent/v1/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Deliver numbered samples */
        post: operations["post-agent-v1-metrics"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent/v1/probe-results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Deliver results of probes */
        post: operations["post-agent-v1-probe-results"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent/v1/reflect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the caller's address */
        get: operations["get-agent-v1-reflect"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent/v1/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Keep a WebSocket for commands */
        get: operations["get-agent-v1-stream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent/v1/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take a new agent token */
        post: operations["post-agent-v1-token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent/v1/update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Fetch the signed release of the agent */
        get: operations["get-agent-v1-update"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent/v1/update/{os}/{arch}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Fetch the agent executable of that release */
        get: operations["get-agent-v1-update-os-arch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List accounts */
        get: operations["get-accounts"];
        put?: never;
        /** Create an account */
        post: operations["post-accounts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/accounts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show an account */
        get: operations["get-accounts-id"];
        put?: never;
        post?: never;
        /** Delete an account */
        delete: operations["delete-accounts-id"];
        options?: never;
        head?: never;
        /** Change or disable an account */
        patch: operations["patch-accounts-id"];
        trace?: never;
    };
    "/api/v1/accounts/{id}/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Reset an account's password */
        post: operations["post-accounts-id-password"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/accounts/{id}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List an account's sessions */
        get: operations["get-accounts-id-sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/accounts/{id}/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End an account's session */
        delete: operations["delete-accounts-id-sessions-session-id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/accounts/{id}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List an account's API tokens */
        get: operations["get-accounts-id-tokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/accounts/{id}/tokens/{token_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke an account's API token */
        delete: operations["delete-accounts-id-tokens-token-id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List journal entries */
        get: operations["get-audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a journal entry */
        get: operations["get-audit-id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the actions that occur */
        get: operations["get-audit-actions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Export the journal as CSV or NDJSON */
        get: operations["get-audit-export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Prove the journal */
        get: operations["get-audit-verify"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/factors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show your own second factors */
        get: operations["get-auth-factors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/language": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Choose the language in which you read the web interface */
        put: operations["put-auth-language"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in */
        post: operations["post-auth-login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End this session */
        post: operations["post-auth-logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show who is signed in */
        get: operations["get-auth-me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begin to register a passkey */
        post: operations["post-auth-passkeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/passkeys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Rename one of your own passkeys */
        patch: operations["patch-auth-passkeys-id"];
        trace?: never;
    };
    "/api/v1/auth/passkeys/{id}/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Remove one of your own passkeys */
        post: operations["post-auth-passkeys-id-remove"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/passkeys/finish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Register the passkey that the browser made */
        post: operations["post-auth-passkeys-finish"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change your own password */
        post: operations["post-auth-password"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/second-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Finish signing in with a second factor */
        post: operations["post-auth-second-factor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your own sessions */
        get: operations["get-auth-sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End one of your own sessions */
        delete: operations["delete-auth-sessions-id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your own API tokens */
        get: operations["get-auth-tokens"];
        put?: never;
        /** Create an API token */
        post: operations["post-auth-tokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke one of your own API tokens */
        delete: operations["delete-auth-tokens-id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begin to set up an authenticator app */
        post: operations["post-auth-totp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/totp/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Switch the authenticator app on */
        post: operations["post-auth-totp-confirm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/totp/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replace your own recovery codes */
        post: operations["post-auth-totp-recovery-codes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/totp/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Remove the authenticator app */
        post: operations["post-auth-totp-remove"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/backups/host-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ask an SSH server for its host key */
        post: operations["post-backups-host-key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/backups/profiles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List backup profiles */
        get: operations["get-backups-profiles"];
        put?: never;
        /** Add a backup profile */
        post: operations["post-backups-profiles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/backups/profiles/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a backup profile */
        get: operations["get-backups-profiles-id"];
        put?: never;
        post?: never;
        /** Remove a backup profile; its backups stay where they are */
        delete: operations["delete-backups-profiles-id"];
        options?: never;
        head?: never;
        /** Change a backup profile */
        patch: operations["patch-backups-profiles-id"];
        trace?: never;
    };
    "/api/v1/backups/restores": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List restores and restore tests */
        get: operations["get-backups-restores"];
        put?: never;
        /** Restore a backup: as a test into a scratch database, or in place of the panel's own */
        post: operations["post-backups-restores"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/backups/restores/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a restore or a restore test; while a full one goes on, whoever knows its id may ask */
        get: operations["get-backups-restores-id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/backups/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List backup runs */
        get: operations["get-backups-runs"];
        put?: never;
        /** Start a backup */
        post: operations["post-backups-runs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/backups/runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a backup run */
        get: operations["get-backups-runs-id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/backups/runs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel a backup run */
        post: operations["post-backups-runs-id-cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/backups/runs/{id}/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download the backup of a run as one tar file */
        get: operations["get-backups-runs-id-download"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cdn/resources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what stands at CDNs */
        get: operations["get-cdn-resources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/certificates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List certificates */
        get: operations["get-certificates"];
        put?: never;
        /** Upload a certificate */
        post: operations["post-certificates"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/certificates/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a certificate */
        get: operations["get-certificates-id"];
        put?: never;
        post?: never;
        /** Remove a certificate */
        delete: operations["delete-certificates-id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/certificates/{id}/renew": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Renew a certificate now */
        post: operations["post-certificates-id-renew"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/certificates/budgets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show how many certificates the authority issues this week */
        get: operations["get-certificates-budgets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List clients of all flows */
        get: operations["get-clients"];
        put?: never;
        /** Add a client to any number of flows */
        post: operations["post-clients"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/clients/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a client with its flows */
        get: operations["get-clients-id"];
        put?: never;
        post?: never;
        /** Revoke a client for good */
        delete: operations["delete-clients-id"];
        options?: never;
        head?: never;
        /** Change a client */
        patch: operations["patch-clients-id"];
        trace?: never;
    };
    "/api/v1/clients/{id}/flows/{flow_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Let a client use a flow */
        put: operations["put-clients-id-flows-flow-id"];
        post?: never;
        /** End a client's use of a flow */
        delete: operations["delete-clients-id-flows-flow-id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/clients/{id}/public-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Issue the address of a client's subscription to all its flows */
        post: operations["post-clients-id-public-link"];
        /** Revoke the address of a client's subscription to all its flows */
        delete: operations["delete-clients-id-public-link"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/clients/{id}/traffic": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show what a client carried by days */
        get: operations["get-clients-id-traffic"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/clients/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Act on many clients */
        post: operations["post-clients-bulk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/clients/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Export clients, without anything secret */
        get: operations["get-clients-export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/clients/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Add many clients at once */
        post: operations["post-clients-import"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connection-units": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List flows */
        get: operations["get-connection-units"];
        put?: never;
        /** Create a flow */
        post: operations["post-connection-units"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connection-units/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a flow */
        get: operations["get-connection-units-id"];
        put?: never;
        post?: never;
        /** Delete a flow and remove it from its nodes */
        delete: operations["delete-connection-units-id"];
        options?: never;
        head?: never;
        /** Change a flow's name, tags or owner */
        patch: operations["patch-connection-units-id"];
        trace?: never;
    };
    "/api/v1/connection-units/{id}/applies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List applies */
        get: operations["get-connection-units-id-applies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connection-units/{id}/applies/{apply_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show an apply */
        get: operations["get-connection-units-id-applies-apply-id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connection-units/{id}/applies/{apply_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the drawing of an apply and the sessions on its nodes around it */
        get: operations["get-connection-units-id-applies-apply-id-replay"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connection-units/{id}/applies/{apply_id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop an apply that is not decided yet; everything is reverted */
        post: operations["post-connection-units-id-applies-apply-id-stop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connection-units/{id}/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Install a plan */
        post: operations["post-connection-units-id-apply"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connection-units/{id}/clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List clients */
        get: operations["get-connection-units-id-clients"];
        put?: never;
        /** Add a client; it works as soon as the nodes have it */
        post: operations["post-connection-units-id-clients"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connection-units/{id}/clients/{client_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke a client */
        delete: operations["delete-connection-units-id-clients-client-id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connection-units/{id}/clients/{client_id}/public-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Issue a client's subscription address */
        post: operations["post-connection-units-id-clients-client-id-public-link"];
        /** Revoke a client's subscription address */
        delete: operations["delete-connection-units-id-clients-client-id-public-link"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connection-units/{id}/connection-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Issue a connection link */
        post: operations["post-connection-units-id-connection-link"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connection-units/{id}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take a flow off its nodes */
        post: operations["post-connection-units-id-disable"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connection-units/{id}/draft": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the draft */
        get: operations["get-connection-units-id-draft"];
        /** Save the draft; nothing is installed */
        put: operations["put-connection-units-id-draft"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connection-units/{id}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Put the installed version back */
        post: operations["post-connection-units-id-enable"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connection-units/{id}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Trace a destination through the draft */
        get: operations["get-connection-units-id-explain"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connection-units/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Export a flow, without anything secret */
        get: operations["get-connection-units-id-export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connection-units/{id}/nodes/{node_id}/drift": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show how a node differs from what is installed */
        get: operations["get-connection-units-id-nodes-node-id-drift"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connection-units/{id}/nodes/{node_id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Install the flow's part on one node again */
        post: operations["post-connection-units-id-nodes-node-id-restore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connection-units/{id}/plan/compile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Compile the draft into a plan */
        post: operations["post-connection-units-id-plan-compile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connection-units/{id}/plan/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Preview a plan; nothing is stored */
        post: operations["post-connection-units-id-plan-preview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connection-units/{id}/plans/{plan_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a plan with its readiness */
        get: operations["get-connection-units-id-plans-plan-id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connection-units/{id}/plans/{plan_id}/recheck": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ask the nodes about readiness again */
        post: operations["post-connection-units-id-plans-plan-id-recheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connection-units/{id}/rendered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a node's configuration, secrets masked */
        get: operations["get-connection-units-id-rendered"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connection-units/{id}/traffic": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show what the installed flow carries now */
        get: operations["get-connection-units-id-traffic"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connection-units/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List versions */
        get: operations["get-connection-units-id-versions"];
        put?: never;
        /** Keep the draft as a version */
        post: operations["post-connection-units-id-versions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connection-units/{id}/versions/{version_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a version with its drawing */
        get: operations["get-connection-units-id-versions-version-id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Name or pin a version */
        patch: operations["patch-connection-units-id-versions-version-id"];
        trace?: never;
    };
    "/api/v1/connection-units/bulk/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Install the plans of many flows */
        post: operations["post-connection-units-bulk-apply"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connection-units/bulk/apply/{bulk_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show what became of each flow */
        get: operations["get-connection-units-bulk-apply-bulk-id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connection-units/clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Find clients of all flows by name */
        get: operations["get-connection-units-clients"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/connection-units/installed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show what was installed at a moment */
        get: operations["get-connection-units-installed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dns/certificate-settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the settings of certificates */
        get: operations["get-dns-certificate-settings"];
        /** Change the settings of certificates */
        put: operations["put-dns-certificate-settings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dns/integrations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List integrations with DNS services */
        get: operations["get-dns-integrations"];
        put?: never;
        /** Add an integration with a DNS service */
        post: operations["post-dns-integrations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dns/integrations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show an integration with a DNS service */
        get: operations["get-dns-integrations-id"];
        put?: never;
        post?: never;
        /** Remove an integration with a DNS service */
        delete: operations["delete-dns-integrations-id"];
        options?: never;
        head?: never;
        /** Change an integration with a DNS service */
        patch: operations["patch-dns-integrations-id"];
        trace?: never;
    };
    "/api/v1/dns/integrations/{id}/zones": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the zones that an integration opens now */
        get: operations["get-dns-integrations-id-zones"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dns/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the DNS services that the panel knows */
        get: operations["get-dns-providers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dns/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let a domain lead to a server */
        post: operations["post-dns-setup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flow-imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Read a file of another program; nothing becomes a flow yet */
        post: operations["post-flow-imports"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flow-imports/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show what was read */
        get: operations["get-flow-imports-id"];
        put?: never;
        post?: never;
        /** Forget what was read */
        delete: operations["delete-flow-imports-id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flow-imports/{id}/flows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make drafts with clients of what was read; nothing is installed */
        post: operations["post-flow-imports-id-flows"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flow-imports/outside": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Read the inbounds of a 3x-ui panel; nothing becomes a flow yet */
        post: operations["post-flow-imports-outside"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/license/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Activate a license */
        post: operations["post-license-activate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/license/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Check the license now */
        post: operations["post-license-refresh"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/license/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Remove the license */
        post: operations["post-license-remove"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/license/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the license */
        get: operations["get-license-status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/node-domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List node domains */
        get: operations["get-node-domains"];
        put?: never;
        /** Bind a domain to a node */
        post: operations["post-node-domains"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/node-domains/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a node domain */
        get: operations["get-node-domains-id"];
        put?: never;
        post?: never;
        /** Remove a node domain */
        delete: operations["delete-node-domains-id"];
        options?: never;
        head?: never;
        /** Change a node domain */
        patch: operations["patch-node-domains-id"];
        trace?: never;
    };
    "/api/v1/node-domains/{id}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Look at the DNS records of a node domain now */
        post: operations["post-node-domains-id-check"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/node-domains/{id}/dns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the DNS records of a node domain */
        get: operations["get-node-domains-id-dns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/node-domains/{id}/renew-certificate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Order the certificate of a node domain */
        post: operations["post-node-domains-id-renew-certificate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List nodes */
        get: operations["get-nodes"];
        put?: never;
        /** Add a node */
        post: operations["post-nodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a node */
        get: operations["get-nodes-id"];
        put?: never;
        post?: never;
        /** Delete a node */
        delete: operations["delete-nodes-id"];
        options?: never;
        head?: never;
        /** Change a node */
        patch: operations["patch-nodes-id"];
        trace?: never;
    };
    "/api/v1/nodes/{id}/agent-binding": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Bind, re-bind or revoke the agent */
        post: operations["post-nodes-id-agent-binding"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/{id}/agent-update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Update the agent of one node */
        post: operations["post-nodes-id-agent-update"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/{id}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Fetch the newest log lines */
        post: operations["post-nodes-id-logs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/{id}/maintenance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begin or end a maintenance */
        post: operations["post-nodes-id-maintenance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/{id}/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the history of a metric */
        get: operations["get-nodes-id-metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/{id}/operations/{operation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Follow work on a node */
        get: operations["get-nodes-id-operations-operation-id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/{id}/restart-core": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restart the proxy core */
        post: operations["post-nodes-id-restart-core"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/{id}/rotate-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Give the agent a new token */
        post: operations["post-nodes-id-rotate-token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/agent-rings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the rings, the build that agents can get and who runs what */
        get: operations["get-nodes-agent-rings"];
        /** Change how a rollout goes through the fleet */
        put: operations["put-nodes-agent-rings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/agent-rings/{ring}/update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Roll the build out up to a ring */
        post: operations["post-nodes-agent-rings-ring-update"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/agent-rings/rollouts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List rollouts of agents */
        get: operations["get-nodes-agent-rings-rollouts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/agent-rings/rollouts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a rollout with its nodes */
        get: operations["get-nodes-agent-rings-rollouts-id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/agent-rings/rollouts/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop a rollout; nodes that are at it go on */
        post: operations["post-nodes-agent-rings-rollouts-id-stop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/brief": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Find nodes by name, or name them by their ids */
        get: operations["get-nodes-brief"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Do something to many nodes */
        post: operations["post-nodes-bulk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/cells": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the fleet in little */
        get: operations["get-nodes-cells"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/enrollment-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List enrollment tokens */
        get: operations["get-nodes-enrollment-tokens"];
        put?: never;
        /** Issue an enrollment token */
        post: operations["post-nodes-enrollment-tokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/enrollment-tokens/{token_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show an enrollment token */
        get: operations["get-nodes-enrollment-tokens-token-id"];
        put?: never;
        post?: never;
        /** Revoke an enrollment token */
        delete: operations["delete-nodes-enrollment-tokens-token-id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the history of a metric of the fleet */
        get: operations["get-nodes-metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/moment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the fleet as it was */
        get: operations["get-nodes-moment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/sparks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the last day of some nodes */
        get: operations["get-nodes-sparks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sum up the fleet */
        get: operations["get-nodes-summary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/notifications/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the channels of notifications */
        get: operations["get-notifications-channels"];
        put?: never;
        /** Add a channel of notifications */
        post: operations["post-notifications-channels"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/notifications/channels/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a channel of notifications */
        get: operations["get-notifications-channels-id"];
        put?: never;
        post?: never;
        /** Remove a channel of notifications */
        delete: operations["delete-notifications-channels-id"];
        options?: never;
        head?: never;
        /** Change a channel of notifications */
        patch: operations["patch-notifications-channels-id"];
        trace?: never;
    };
    "/api/v1/notifications/channels/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a test through a channel */
        post: operations["post-notifications-channels-id-test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/notifications/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List deliveries of notifications */
        get: operations["get-notifications-deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/notifications/deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a delivery of a notification */
        get: operations["get-notifications-deliveries-id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/notifications/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the kinds of events that rules can name */
        get: operations["get-notifications-events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/notifications/messenger/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a test to the messenger and answer how it went */
        post: operations["post-notifications-messenger-test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/notifications/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the rules of notifications */
        get: operations["get-notifications-rules"];
        put?: never;
        /** Add a rule of notifications */
        post: operations["post-notifications-rules"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/notifications/rules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a rule of notifications */
        get: operations["get-notifications-rules-id"];
        put?: never;
        post?: never;
        /** Remove a rule of notifications */
        delete: operations["delete-notifications-rules-id"];
        options?: never;
        head?: never;
        /** Change a rule of notifications */
        patch: operations["patch-notifications-rules-id"];
        trace?: never;
    };
    "/api/v1/notifications/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the settings of notifications */
        get: operations["get-notifications-settings"];
        /** Change the settings of notifications */
        put: operations["put-notifications-settings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show this description */
        get: operations["get-openapi-json"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what was started */
        get: operations["get-operations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show how far an operation is */
        get: operations["get-operations-id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operations/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel an operation */
        post: operations["post-operations-id-cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the permission catalogue */
        get: operations["get-permissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/setup/admin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create the first administrator */
        post: operations["post-setup-admin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/setup/dnsprovider/dns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let the panel's domain lead to its server */
        post: operations["post-setup-dnsprovider-dns"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/setup/finish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End the first installation */
        post: operations["post-setup-finish"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/setup/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show how far the first installation is */
        get: operations["get-setup-state"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Follow live changes (server-sent events) */
        get: operations["get-stream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/subscriptions/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the settings of subscriptions */
        get: operations["get-subscriptions-settings"];
        /** Change the settings of subscriptions */
        put: operations["put-subscriptions-settings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/system/diagnostics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the last diagnosis of Doctor and the end of the log */
        get: operations["get-system-diagnostics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/system/security": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show what protects the panel and which variables set it */
        get: operations["get-system-security"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/system/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the status of the panel */
        get: operations["get-system-status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/system/support-bundle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pack a support bundle without secrets and download it */
        post: operations["post-system-support-bundle"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/system/support-bundle/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Tell what a support bundle would hold and how much is masked in it */
        post: operations["post-system-support-bundle-preview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/system/support-bundle/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pack a support bundle and send it to the configured address */
        post: operations["post-system-support-bundle-send"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/system/updates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the version, what newer there is, and the way back */
        get: operations["get-system-updates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/system/updates/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Install the newer release */
        post: operations["post-system-updates-apply"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/system/updates/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Check for a newer release now */
        post: operations["post-system-updates-check"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/system/updates/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Roll back to the release before */
        post: operations["post-system-updates-rollback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/system/updates/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the settings of updates */
        get: operations["get-system-updates-settings"];
        /** Change the settings of updates */
        put: operations["put-system-updates-settings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/target-search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List searches for REALITY targets */
        get: operations["get-target-search"];
        put?: never;
        /** Search for REALITY targets from a node */
        post: operations["post-target-search"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/target-search/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a search for REALITY targets */
        get: operations["get-target-search-id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/target-search/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel a search for REALITY targets */
        post: operations["post-target-search-id-cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/target-search/{id}/results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what a search for REALITY targets found */
        get: operations["get-target-search-id-results"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/target-search/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Check one REALITY target from a node */
        post: operations["post-target-search-check"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tell whether the panel is healthy */
        get: operations["get-health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/install/agent.sh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Install script of the agent */
        get: operations["get-install-agent-sh"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/install/agent/{os}/{arch}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Agent executable */
        get: operations["get-install-agent-os-arch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/install/enroll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Enrol an agent */
        post: operations["post-install-enroll"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tell whether the process lives */
        get: operations["get-livez"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tell whether the panel can take requests */
        get: operations["get-readyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/s/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A client's subscription */
        get: operations["get-s-token"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AccountsAccount: {
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            /**
             * @description Language of the web interface; empty: not chosen
             * @enum {string}
             */
            language: "" | "en" | "ru";
            /** Format: date-time */
            last_login_at: string | null;
            last_login_ip: string;
            must_change_password: boolean;
            /**
             * Format: int64
             * @description How many passkeys are registered
             */
            passkeys: number;
            permissions: string[];
            /** Format: int64 */
            revision: number;
            /** @enum {string} */
            state: "active" | "disabled";
            totp_enabled: boolean;
            username: string;
        };
        AccountsAccountPage: {
            items: components["schemas"]["AccountsAccount"][];
            /** @description Pass as cursor to read on; null on the last page */
            next_cursor: string | null;
            /** Format: int64 */
            total: number;
        };
        AccountsApiToken: {
            /** Format: date-time */
            created_at: string;
            expired: boolean;
            /** Format: date-time */
            expires_at: string;
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description To the minute; null: never
             */
            last_used_at: string | null;
            name: string;
            /** @description It opens those of them that its account holds, too */
            permissions: string[];
        };
        AccountsApiTokenPage: {
            items: components["schemas"]["AccountsApiToken"][];
            /** @description Pass as cursor to read on; null on the last page */
            next_cursor: string | null;
            /** Format: int64 */
            total: number;
        };
        AccountsCodeInputBody: {
            code: string;
        };
        AccountsConfirmInputBody: {
            /** @description Your own password again */
            password: string;
        };
        AccountsCreatedToken: {
            api_token: components["schemas"]["AccountsApiToken"];
            /** @description Shown this once */
            token: string;
        };
        AccountsCreateInputBody: {
            must_change_password?: boolean;
            password: string;
            /** @description Not sent: full access */
            permissions?: string[];
            username: string;
        };
        AccountsCreateTokenInputBody: {
            /** @description Your own password again */
            current_password: string;
            /**
             * Format: int64
             * @default 90
             */
            expires_in_days?: number;
            /** @description What the token is for */
            name: string;
            /** @description A part of your own; none: what needs no permission */
            permissions: string[];
        };
        AccountsEnrolment: {
            secret: string;
            /** @description otpauth address for a QR code */
            uri: string;
        };
        AccountsFactorsOutputBody: {
            passkeys: components["schemas"]["AccountsPasskey"][];
            /** Format: int64 */
            recovery_codes_left: number;
            totp_enabled: boolean;
        };
        AccountsFinishPasskeyInputBody: {
            challenge: string;
            /** @description The browser's answer to the options */
            credential: unknown;
            name: string;
        };
        AccountsLanguageInputBody: {
            /**
             * @description Language of the web interface
             * @enum {string}
             */
            language: "en" | "ru";
        };
        AccountsLoginInputBody: {
            password: string;
            username: string;
        };
        AccountsMeOutputBody: {
            account: components["schemas"]["AccountsAccount"];
            /** @description The API token that calls */
            api_token?: components["schemas"]["AccountsApiToken"];
            permissions: string[];
            /** @description Absent where an API token calls */
            session?: components["schemas"]["AccountsSession"];
        };
        AccountsPasskey: {
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            last_used_at: string | null;
            name: string;
        };
        AccountsPasswordInputBody: {
            current_password: string;
            new_password: string;
        };
        AccountsPermission: {
            /** @description Opens every key with the same noun */
            family: string;
            key: string;
            summary: string;
        };
        AccountsPermissionsOutputBody: {
            items: components["schemas"]["AccountsPermission"][];
        };
        AccountsRecoveryOutputBody: {
            /** @description Shown this once */
            recovery_codes: string[];
        };
        AccountsRegistration: {
            /** @description Send it back with the browser's answer */
            challenge: string;
            /** @description For navigator.credentials.create */
            options: unknown;
        };
        AccountsRemovePasskeyInputBody: {
            /** @description Your own password again */
            password: string;
        };
        AccountsRenamePasskeyInputBody: {
            name: string;
        };
        AccountsResetInputBody: {
            /** @description Your own password again */
            current_password?: string;
            /** @description Nothing else is open to the account until it has changed it */
            must_change_password?: boolean;
            password: string;
            /** @description Needs current_password */
            remove_second_factor?: boolean;
        };
        AccountsSecondFactorInputBody: {
            challenge: string;
            /** @description Six digits of the authenticator app */
            code?: string;
            /** @description The browser's answer to passkey_options */
            passkey?: unknown;
            recovery_code?: string;
        };
        AccountsSession: {
            /** Format: date-time */
            created_at: string;
            current: boolean;
            /**
             * Format: date-time
             * @description When it ends if it is not used again
             */
            expires_at: string;
            /** Format: uuid */
            id: string;
            ip: string;
            /** Format: date-time */
            last_seen_at: string;
            user_agent: string;
        };
        AccountsSessionPage: {
            items: components["schemas"]["AccountsSession"][];
            /** @description Pass as cursor to read on; null on the last page */
            next_cursor: string | null;
            /** Format: int64 */
            total: number;
        };
        AccountsSignedIn: {
            account: components["schemas"]["AccountsAccount"];
            /** Format: date-time */
            expires_at: string;
            token: string;
        };
        AccountsUpdateInputBody: {
            permissions?: string[];
            /**
             * Format: int64
             * @description Here or in If-Match
             */
            revision?: number;
            /** @enum {string} */
            state?: "active" | "disabled";
            username?: string;
        };
        AgentapiBatch: {
            /**
             * Format: int64
             * @description Items of this stream that a full buffer has lost so far
             */
            dropped?: number;
            /** @description Oldest first; their form belongs to the kind */
            items?: unknown[];
            /** @description What the items are */
            kind?: string;
            /**
             * Format: int64
             * @description Number of the batch: rising by one per kind and stream, from 1, also over restarts
             */
            seq?: number;
            /** @description Made with the agent's data folder; a new folder numbers from 1 under a new id */
            stream_id?: string;
        } & {
            [key: string]: unknown;
        };
        AgentapiClient: {
            /** Format: date-time */
            expires?: string;
            id: string;
            key: string;
            /** Format: int64 */
            number?: number;
            password?: string;
            uuid: string;
        };
        AgentapiClientChanges: {
            /** @description Who is on the list, with what it has now */
            clients?: components["schemas"]["AgentapiClient"][];
            flow_id: string;
            /** @description The list from its beginning: what is held does not count */
            fresh?: boolean;
            /** @description What was asked from */
            from: components["schemas"]["AgentapiListPosition"];
            /** @description Who is on it no more */
            gone?: string[];
            /** @description There are further changes */
            more?: boolean;
            /** @description What to ask from next */
            to: components["schemas"]["AgentapiListPosition"];
        };
        AgentapiCommand: {
            /** @description Arguments of that kind */
            args?: unknown;
            /**
             * Format: date-time
             * @description Not started after this; running work stops then
             */
            deadline: string;
            /** @description Identity of the order */
            id: string;
            /** @description What to do */
            kind: string;
        };
        AgentapiCommandResult: {
            /** @description How it ended, in one word */
            code?: string;
            /** @description Data of that kind */
            data?: unknown;
            /** @description What failed, why, and what to do */
            error?: string;
            /**
             * Format: date-time
             * @description By the agent's clock
             */
            finished_at?: string;
            /** @description Id of the command */
            id?: string;
            /** @description It did what was asked */
            ok?: boolean;
            /** @description Part of apply_config that this is about */
            stage?: string;
            /**
             * Format: date-time
             * @description By the agent's clock
             */
            started_at?: string;
            /** @description Last 4 KiB of the core's own words */
            stderr_tail?: string;
        } & {
            [key: string]: unknown;
        };
        AgentapiConfigResult: {
            /** @description What failed and why */
            error?: string;
            /** @description Its hash */
            hash?: string;
            /** @description It is installed */
            ok?: boolean;
            /**
             * Format: int64
             * @description Revision that this speaks of
             */
            revision?: number;
            /** @description Its hash */
            running_hash?: string;
            /**
             * Format: int64
             * @description Revision that the core serves now; 0 = none
             */
            running_revision?: number;
            /** @description Where it ended */
            stage?: string;
            /** @description Last 4 KiB of the core's own words */
            stderr_tail?: string;
        } & {
            [key: string]: unknown;
        };
        AgentapiCoreReport: {
            /** @description Apply whose switch waits for its commit or revert */
            apply_id?: string;
            /** @description Hash of that configuration */
            config_hash?: string;
            /**
             * Format: int64
             * @description Revision that the core serves; 0 = none yet
             */
            config_revision?: number;
            /**
             * Format: int64
             * @description Replaced cores that still carry open streams
             */
            draining?: number;
            /** @description Last 4 KiB of the core's error output, when it failed */
            error?: string;
            /** @description Which core, for example xray */
            kind?: string;
            /**
             * Format: int64
             * @description Times that the core had to be started again since the agent started
             */
            restarts?: number;
            /** @description stopped, starting, running, restarting or failed */
            state?: string;
            /**
             * Format: int64
             * @description Seconds since the serving core started
             */
            uptime_s?: number;
            /** @description Version of the core */
            version?: string;
        } & {
            [key: string]: unknown;
        };
        AgentapiDocument: {
            /** @description JSON; its form belongs to the name */
            content: unknown;
            /** @description HashContent of it */
            hash: string;
            /** @description Name of the document */
            name: string;
            /**
             * Format: int64
             * @description Rising number of this document on this node
             */
            revision: number;
        };
        AgentapiDocumentRef: {
            /** @description HashContent of it */
            hash: string;
            /** @description Name of the document */
            name: string;
            /**
             * Format: int64
             * @description Rising number of this document on this node
             */
            revision: number;
        };
        AgentapiDocumentStatus: {
            /** @description Why it could not */
            error?: string;
            /**
             * Format: int64
             * @description Newer revision that could not be applied; the one in force stays
             */
            failed_revision?: number;
            /** @description Its hash */
            hash?: string;
            /** @description Name of the document */
            name?: string;
            /**
             * Format: int64
             * @description Revision in force; 0 = none yet
             */
            revision?: number;
        } & {
            [key: string]: unknown;
        };
        AgentapiEnrollReply: {
            /** @description Token for every later call */
            agent_token: string;
            /**
             * Format: int64
             * @description Pause between heartbeats
             */
            heartbeat_seconds: number;
            /** @description Identity of the node */
            node_id: string;
        };
        AgentapiEnrollRequest: {
            /** @description Version of the agent executable */
            agent_version?: string;
            /** @description Processor architecture, as Go names it */
            arch?: string;
            /** @description What the agent can do */
            capabilities?: string[];
            /** @description Host name of the server */
            hostname?: string;
            /** @description Digest of the server's machine id; tells a reinstalled server from a new one */
            machine_id?: string;
            /** @description Wanted node name; empty lets the panel derive one from the host name */
            name?: string;
            /** @description Operating system, as Go names it */
            os?: string;
            /**
             * Format: int64
             * @description Protocol version that the agent speaks
             */
            protocol?: number;
            /** @description Enrollment token */
            token?: string;
        } & {
            [key: string]: unknown;
        };
        AgentapiFirewall: {
            /** @description It has rules in force */
            active?: boolean;
            /** @description What was read, in short */
            detail?: string;
            /** @description ufw, nftables, iptables or firewalld */
            kind?: string;
        } & {
            [key: string]: unknown;
        };
        AgentapiHeartbeat: {
            /** @description Global addresses of the host's interfaces */
            addresses?: string[];
            /** @description Version of the agent executable */
            agent_version?: string;
            /** @description Processor architecture, as Go names it */
            arch?: string;
            /** @description Changes when the server boots */
            boot_id?: string;
            /** @description What the agent can do */
            capabilities?: string[];
            /** @description State of the proxy core */
            core?: components["schemas"]["AgentapiCoreReport"];
            /** @description State of each document that this agent can hold */
            documents?: components["schemas"]["AgentapiDocumentStatus"][];
            /** @description Host firewalls that were found; read only */
            firewall?: components["schemas"]["AgentapiFirewall"][];
            /** @description Host name of the server */
            hostname?: string;
            /** @description Operating system, as Go names it */
            os?: string;
            /** @description Address by which the agent dials the panel */
            panel_url?: string;
            /**
             * Format: int64
             * @description Protocol version that the agent speaks
             */
            protocol?: number;
            /**
             * Format: date-time
             * @description The agent's clock; shows its skew
             */
            sent_at?: string;
            /** @description Changes when the agent starts; two that alternate mean a cloned server uses this identity */
            session_id?: string;
            /** @description Sockets that listen on the host, of every process */
            sockets?: components["schemas"]["AgentapiSocket"][];
        } & {
            [key: string]: unknown;
        };
        AgentapiHeartbeatReply: {
            /** @description Commands without a result yet, oldest first */
            commands?: components["schemas"]["AgentapiCommand"][];
            /** @description Hash of that configuration */
            desired_hash?: string;
            /**
             * Format: int64
             * @description Revision to serve; 0 = none wanted yet
             */
            desired_revision: number;
            /** @description Documents beside the configuration that the node shall hold */
            documents?: components["schemas"]["AgentapiDocumentRef"][];
            /**
             * Format: int64
             * @description Pause until the next heartbeat
             */
            heartbeat_seconds: number;
            /** @description Address by which the panel calls itself; the only one that a probe through a flow reaches */
            panel_url?: string;
            /**
             * Format: date-time
             * @description The panel's clock
             */
            server_time: string;
        };
        AgentapiListener: {
            /** @description Flow that it belongs to */
            flow_id: string;
            /** @description Address that it listens on */
            ip: string;
            /** @description Tag of the inbound in the core configuration */
            key: string;
            /** @description tcp or udp; an inbound of both appears twice */
            l4: string;
            /**
             * Format: int64
             * @description Port
             */
            port: number;
        };
        AgentapiListPosition: {
            after?: string;
            epoch: string;
            /** Format: int64 */
            known?: number;
            /** Format: int64 */
            since: number;
        };
        AgentapiMetricsBatch: {
            /**
             * Format: int64
             * @description Samples of this stream that a full buffer has lost so far
             */
            dropped?: number;
            /** @description Oldest first */
            samples?: components["schemas"]["AgentapiSample"][];
            /**
             * Format: int64
             * @description Number of the batch: rising by one per stream, from 1, also over restarts
             */
            seq?: number;
            /** @description Made with the agent's data folder; a new folder numbers from 1 under a new id */
            stream_id?: string;
        } & {
            [key: string]: unknown;
        };
        AgentapiNodeConfig: {
            /** @description Configuration of the core (Xray JSON); absent = no core runs */
            core?: unknown;
            /** @description ContentHash of it */
            hash: string;
            /** @description What the core listens on */
            listeners?: components["schemas"]["AgentapiListener"][];
            /**
             * Format: int64
             * @description Rising number of this node's configurations
             */
            revision: number;
        };
        AgentapiPending: {
            /** @description Commands without a result yet, oldest first */
            commands?: components["schemas"]["AgentapiCommand"][];
            /** @description Hash of that configuration */
            desired_hash?: string;
            /**
             * Format: int64
             * @description Revision to serve; 0 = none wanted yet
             */
            desired_revision: number;
            /** @description Documents beside the configuration that the node shall hold */
            documents?: components["schemas"]["AgentapiDocumentRef"][];
        };
        AgentapiReflection: {
            /** @description Source address of this request */
            ip: string;
        };
        AgentapiSample: {
            /**
             * Format: int64
             * @description Tracked connections; 0 where tracking is off
             */
            conntrack_count?: number;
            /**
             * Format: int64
             * @description Room for tracked connections
             */
            conntrack_max?: number;
            /**
             * Format: double
             * @description Share of all processors in use since the sample before, 0 to 100
             */
            cpu_pct?: number;
            /**
             * Format: int64
             * @description Bytes of the agent's file system
             */
            disk_total?: number;
            /**
             * Format: int64
             * @description Bytes in use on the agent's file system
             */
            disk_used?: number;
            /**
             * Format: double
             * @description Seconds that the traffic is of; absent where a core cannot tell all
             */
            interval_s?: number;
            /**
             * Format: double
             * @description Connections dropped at listeners per second
             */
            listen_drops_ps?: number;
            /** @description The same by listener; one whose sessions cannot be counted is missing */
            listeners?: components["schemas"]["AgentapiSessions"][];
            /**
             * Format: double
             * @description Load average of one minute
             */
            load1?: number;
            /**
             * Format: int64
             * @description Bytes of memory
             */
            mem_total?: number;
            /**
             * Format: int64
             * @description Bytes of memory in use
             */
            mem_used?: number;
            /**
             * Format: double
             * @description Bits received per second, without loopback
             */
            net_rx_bps?: number;
            /**
             * Format: double
             * @description Bits sent per second, without loopback
             */
            net_tx_bps?: number;
            /**
             * Format: date-time
             * @description When it was read, by the agent's clock
             */
            observed_at?: string;
            /**
             * Format: double
             * @description Packets received per second
             */
            rx_pps?: number;
            /**
             * Format: int64
             * @description Open sessions of the listeners; absent where the agent cannot count them
             */
            sessions?: number;
            /**
             * Format: double
             * @description SYN cookies sent per second
             */
            syncookies_ps?: number;
            /**
             * Format: int64
             * @description Established TCP connections
             */
            tcp_established?: number;
            /** @description Bytes since the sample before, only where not zero */
            traffic?: components["schemas"]["AgentapiTraffic"][];
            /**
             * Format: int64
             * @description Seconds since the server booted
             */
            uptime_s?: number;
        } & {
            [key: string]: unknown;
        };
        AgentapiSessions: {
            /** @description The inbound's tag in the core configuration */
            name?: string;
            /**
             * Format: int64
             * @description Established connections of clients
             */
            open?: number;
        } & {
            [key: string]: unknown;
        };
        AgentapiSocket: {
            /** @description Address; 0.0.0.0 or :: = every one */
            ip?: string;
            /** @description tcp or udp */
            l4?: string;
            /** @description Belongs to this agent or its core */
            own?: boolean;
            /**
             * Format: int64
             * @description Port
             */
            port?: number;
            /** @description Name of the process, where it may be read */
            process?: string;
        } & {
            [key: string]: unknown;
        };
        AgentapiTokenReply: {
            agent_token: string;
            /** Format: date-time */
            previous_valid_until: string;
        };
        AgentapiTraffic: {
            /**
             * Format: int64
             * @description Bytes to the client
             */
            down?: number;
            /** @description client (name = the user's email in the core configuration), listener or outbound (name = its tag), share (name = the id of a client) */
            kind?: string;
            /** @description Name in the core configuration */
            name?: string;
            /**
             * Format: int64
             * @description Bytes from the client
             */
            up?: number;
        } & {
            [key: string]: unknown;
        };
        AgentapiUpdate: {
            /** @description The release manifest, byte for byte as it was signed */
            manifest: string;
            /** @description Keys that this panel trusts; an agent without a key of its own keeps the first it sees */
            public_key: string;
            /** @description Its minisign signature */
            signature: string;
            /** @description Version of the agent in this release */
            version: string;
        };
        AuditActionsOutputBody: {
            items: string[];
        };
        AuditActor: {
            id: string;
            /** @enum {string} */
            kind: "admin" | "agent" | "system" | "cli" | "none";
            name: string;
        };
        AuditChange: {
            from: unknown;
            to: unknown;
        };
        AuditContinuation: {
            /**
             * Format: int64
             * @description Number of the last entry that the backup held
             */
            after: number;
            /** Format: date-time */
            at: string;
            /**
             * Format: int64
             * @description Number of the entry that says so; 0 while it is not chained
             */
            seq: number;
        };
        AuditEntry: {
            action: string;
            actor: components["schemas"]["AuditActor"];
            /** Format: date-time */
            at: string;
            /** @description Fields before and after; secrets are only ever set or unset */
            changes: {
                [key: string]: components["schemas"]["AuditChange"];
            };
            /**
             * Format: int64
             * @description How often; more than 1 for refused requests of one minute
             */
            count: number;
            hash: string | null;
            hash_prev: string | null;
            id: string;
            ip: string;
            object: components["schemas"]["AuditObject"];
            request_id: string;
            /** @enum {string} */
            result: "ok" | "denied" | "failed";
            /**
             * Format: int64
             * @description Number in the chain; null for the moment until it is sealed
             */
            seq: number | null;
            user_agent: string;
        };
        AuditEntryPage: {
            items: components["schemas"]["AuditEntry"][];
            /** @description Pass as cursor to read on; null on the last page */
            next_cursor: string | null;
            /** Format: int64 */
            total: number;
        };
        AuditFinding: {
            detail: string;
            /** @description Empty when the entry itself is gone */
            entry_id: string;
            /** @enum {string} */
            kind: "edited" | "removed" | "swapped" | "cut" | "rewritten" | "inserted" | "witnessed" | "unmarked" | "unnumbered" | "missing" | "forgotten";
            /**
             * Format: int64
             * @description The last of a run; equal to seq for a single entry
             */
            last_seq: number;
            /**
             * Format: int64
             * @description Number of the entry in the chain; the first of a run; 0 for one that is not chained
             */
            seq: number;
            /**
             * @description broken: somebody changed the journal; unproven: nobody can say whether somebody did
             * @enum {string}
             */
            verdict: "unproven" | "broken";
        };
        AuditObject: {
            id: string;
            name: string;
            type: string;
        };
        AuditReport: {
            /** Format: int64 */
            checked: number;
            /** Format: date-time */
            checked_at: string;
            /** @description false when time ran out before the end; the journal is then not proven */
            complete: boolean;
            /** @description Where the journal goes on after a restore; no finding */
            continued: components["schemas"]["AuditContinuation"][];
            findings: components["schemas"]["AuditFinding"][];
            /** Format: int64 */
            first_seq: number;
            /** @description Hash of the last entry */
            head: string;
            /**
             * Format: int64
             * @description Heads noted outside the database, and by other panels, that were compared
             */
            heads: number;
            /** @description true when state is intact */
            intact: boolean;
            /** Format: int64 */
            last_seq: number;
            /** @enum {string} */
            state: "intact" | "unproven" | "broken";
            /**
             * Format: int64
             * @description Entries of the last moments that are not chained yet
             */
            unsealed: number;
        };
        BackupsArtefact: {
            /** Format: int64 */
            bytes: number;
            /** @description Names the master key that its secrets are sealed with */
            key_fingerprint: string;
            name: string;
            panel_version: string;
            schema_version: string;
            /** @description Digest of the digests of its parts in their order */
            sha256: string;
        };
        BackupsDestination: {
            config: {
                [key: string]: unknown;
            };
            has_secret: boolean;
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "local" | "s3" | "sftp" | "messenger";
            /** Format: int64 */
            max_part_bytes: number;
        };
        BackupsDestinationInput: {
            /** @description What a destination of this kind needs */
            config?: {
                [key: string]: unknown;
            };
            /** @description Of a destination that is there already */
            id?: string;
            /** @enum {string} */
            kind: "local" | "s3" | "sftp" | "messenger";
            /** Format: int64 */
            max_part_bytes?: number;
            /** @description Secret key, password, private key or token; absent: stays */
            secret?: string;
        };
        BackupsEncryption: {
            has_passphrase: boolean;
            /** @enum {string} */
            mode: "age" | "passphrase" | "none";
            /** @description The age recipient; its identity is not known to the panel */
            recipient: string;
        };
        BackupsEncryptionInput: {
            /** @enum {string} */
            mode: "age" | "passphrase" | "none";
            passphrase?: string;
            recipient?: string;
        };
        BackupsHostKey: {
            /** @description SHA256:…, as ssh-keygen -l prints it */
            fingerprint: string;
            /** @description As a destination takes it */
            host_key: string;
        };
        BackupsHostKeyQuestion: {
            host: string;
            /**
             * Format: int64
             * @description Absent or 0: 22
             */
            port?: number;
        };
        BackupsKeysInput: {
            /** @description The age identity that belongs to the recipient */
            identity?: string;
            /** @description The master key that the panel had then */
            master_key?: string;
            /** @description An earlier passphrase of the profile */
            passphrase?: string;
        };
        BackupsNewProfile: {
            /**
             * Format: int64
             * @description Absent: two hours more than the longest time between runs; 0 without a schedule
             */
            deadman_hours?: number;
            destinations: components["schemas"]["BackupsDestinationInput"][];
            /** @description Absent: true */
            enabled?: boolean;
            /** @description Absent: not encrypted */
            encryption?: components["schemas"]["BackupsEncryptionInput"];
            name: string;
            /** @description Absent: the last 10, and those of 30 days */
            retention?: components["schemas"]["BackupsRetentionInput"];
            /** @description Absent: each day at 03:30 UTC */
            schedule?: components["schemas"]["BackupsSchedule"];
            /** @description Absent: the database with all measurements */
            scope?: components["schemas"]["BackupsScope"];
            /** @description Absent: on Sundays at 05:00; never with an age recipient */
            verify?: components["schemas"]["BackupsVerifyRule"];
        };
        BackupsNewRestore: {
            /** @description For full: the name of the profile, to say that it is meant */
            confirm?: string;
            /** @description What opens a backup that the panel cannot open by itself */
            keys?: components["schemas"]["BackupsKeysInput"];
            /**
             * @description verify: into a scratch database; full: in place of the panel's database
             * @enum {string}
             */
            mode: "verify" | "full";
            /** Format: uuid */
            run_id: string;
        };
        BackupsNewRun: {
            /** Format: uuid */
            profile_id: string;
        };
        BackupsProfile: {
            /** @enum {string} */
            compression: "zstd";
            /** Format: date-time */
            created_at: string;
            /**
             * Format: int64
             * @description Hours without a good backup after which people are told; 0: never
             */
            deadman_hours: number;
            destinations: components["schemas"]["BackupsDestination"][];
            /** @description Whether its schedule and its restore tests run by themselves */
            enabled: boolean;
            encryption: components["schemas"]["BackupsEncryption"];
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description When a backup last reached all destinations; null: never
             */
            last_success_at: string | null;
            name: string;
            /** Format: date-time */
            next_run_at: string | null;
            /** Format: date-time */
            next_verify_at: string | null;
            retention: components["schemas"]["RetentionRules"];
            /** Format: int64 */
            revision: number;
            schedule: components["schemas"]["BackupsSchedule"];
            scope: components["schemas"]["BackupsScope"];
            /** Format: date-time */
            updated_at: string;
            verify: components["schemas"]["BackupsVerifyRule"];
        };
        BackupsProfileChange: {
            /** Format: int64 */
            deadman_hours?: number;
            destinations?: components["schemas"]["BackupsDestinationInput"][];
            enabled?: boolean;
            encryption?: components["schemas"]["BackupsEncryptionInput"];
            name?: string;
            retention?: components["schemas"]["BackupsRetentionInput"];
            /**
             * Format: int64
             * @description Revision that the change starts from; or send it as If-Match
             */
            revision?: number;
            schedule?: components["schemas"]["BackupsSchedule"];
            scope?: components["schemas"]["BackupsScope"];
            verify?: components["schemas"]["BackupsVerifyRule"];
        };
        BackupsProfilePage: {
            items: components["schemas"]["BackupsProfile"][];
            /** @description Pass as cursor to read on; null on the last page */
            next_cursor: string | null;
            /** Format: int64 */
            total: number;
        };
        BackupsReport: {
            findings: string[];
            /**
             * Format: int64
             * @description Entries of the journal whose chain was proved
             */
            journal: number;
            /** Format: int64 */
            rows: number;
            /**
             * Format: int64
             * @description Secrets that the master key opened
             */
            secrets: number;
            /**
             * Format: int64
             * @description Tables whose rows and checksums are those of the backup
             */
            tables: number;
        };
        BackupsRestore: {
            /** Format: date-time */
            created_at: string;
            error: string;
            /** Format: date-time */
            finished_at: string | null;
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            mode: "verify" | "full";
            operation_id: string | null;
            /** @description Of a full restore: what to look after; null before its end */
            outcome: components["schemas"]["RestoredOutcome"];
            /** @description What was compared; null while there is nothing */
            report: components["schemas"]["BackupsReport"];
            /** Format: uuid */
            run_id: string;
            /** Format: date-time */
            started_at: string | null;
            started_by: string;
            /** @enum {string} */
            state: "queued" | "running" | "succeeded" | "failed";
            /** @description What it does now, as a word */
            step: string;
            /** @enum {string} */
            trigger: "manual" | "schedule";
            /**
             * @description skipped: it could not be tried; error says why
             * @enum {string}
             */
            verdict: "" | "ok" | "failed" | "skipped";
        };
        BackupsRestorePage: {
            items: components["schemas"]["BackupsRestore"][];
            /** @description Pass as cursor to read on; null on the last page */
            next_cursor: string | null;
            /** Format: int64 */
            total: number;
        };
        BackupsRetentionInput: {
            /** Format: int64 */
            keep_days?: number;
            /** Format: int64 */
            keep_last?: number;
            /** Format: int64 */
            max_bytes?: number;
        };
        BackupsRun: {
            /** @description What was written; null while there is nothing */
            artefact: components["schemas"]["BackupsArtefact"];
            /**
             * Format: int64
             * @description How much of this step is done
             */
            bytes: number;
            /** Format: date-time */
            created_at: string;
            destinations: components["schemas"]["BackupsRunDestination"][];
            error: string;
            /** Format: date-time */
            finished_at: string | null;
            /** Format: uuid */
            id: string;
            log_tail: string;
            /** @description Operation that shows its progress; null when a schedule started it */
            operation_id: string | null;
            /** Format: uuid */
            profile_id: string;
            profile_name: string;
            /** Format: date-time */
            started_at: string | null;
            started_by: string;
            /** @enum {string} */
            state: "queued" | "running" | "uploading" | "succeeded" | "partial" | "failed" | "cancelled";
            /** @description What it does now, as a word */
            step: string;
            /** @enum {string} */
            trigger: "manual" | "schedule";
        };
        BackupsRunDestination: {
            /** Format: int64 */
            bytes: number;
            error: string;
            /** Format: uuid */
            id: string;
            kind: string;
            /** @description Of a local one: the machine and folder of the panel that holds it */
            panel?: string;
            /** @enum {string} */
            state: "queued" | "succeeded" | "failed" | "removed";
            /** @description Where it is, without secrets */
            url_hint: string;
        };
        BackupsRunPage: {
            items: components["schemas"]["BackupsRun"][];
            /** @description Pass as cursor to read on; null on the last page */
            next_cursor: string | null;
            /** Format: int64 */
            total: number;
        };
        BackupsSchedule: {
            /** @description Five fields, 30 3 * * *; empty: only when somebody starts it */
            cron?: string;
            /** @description Time zone of the rule, Europe/Moscow; empty: UTC */
            zone?: string;
        };
        BackupsScope: {
            /** @description The file of settings too */
            config?: boolean;
            /** @description Always true: a backup without the database is refused */
            database?: boolean;
            /** @description Always true: the panel's files are kept in its database */
            files?: boolean;
            /** @description The master key too; only in an encrypted backup */
            secret_store?: boolean;
            /** @description Refused while the panel has no status page */
            statuspage?: boolean;
            /**
             * @description How much of the measurements
             * @default all
             * @enum {string}
             */
            telemetry?: "none" | "rollups" | "all";
        };
        BackupsVerifyRule: {
            /** @description Five fields in the schedule's time zone; empty: never by itself */
            restore_test?: string;
        };
        BulkApply: {
            /** Format: date-time */
            finished_at: string | null;
            /** Format: uuid */
            id: string;
            /** @description In the order in which they were asked for */
            items: components["schemas"]["BulkItem"][];
            /** Format: uuid */
            operation_id: string;
            /** Format: date-time */
            started_at: string;
            started_by: string;
            stop_on_failure: boolean;
        };
        BulkItem: {
            /** @description Null while nothing was begun */
            apply_id: string | null;
            /** @description Why it was refused or failed; empty when it was not */
            code: string;
            error: string;
            /** Format: uuid */
            flow_id: string;
            flow_name: string;
            /**
             * Format: uuid
             * @description Plan id
             */
            id: string;
            /**
             * Format: int64
             * @description Plan revision
             */
            revision: number;
            /** @enum {string} */
            state: "waiting" | "applying" | "applied" | "failed" | "refused" | "skipped";
        };
        BulkWanted: {
            /** Format: uuid */
            flow_id: string;
            /**
             * Format: uuid
             * @description Plan id
             */
            id: string;
            /**
             * Format: int64
             * @description Plan revision
             */
            revision: number;
        };
        CdndnsBudgetList: {
            items: components["schemas"]["CertificatesBudget"][];
        };
        CdndnsCertificateSettings: {
            /**
             * @description What staging issues is trusted by nobody; it is for trying
             * @enum {string}
             */
            authority: "letsencrypt" | "letsencrypt-staging" | "other";
            /** @description Address of the ACME directory of another authority */
            directory: string;
            /** @description Where the authority may write to; empty: nowhere */
            email: string;
            external_account: components["schemas"]["CdndnsExternalAccount"];
            /** @description PEM of the root that proves the authority's own address; empty: those of the system */
            roots: string;
        };
        CdndnsCertificateSettingsChange: {
            /**
             * Format: int64
             * @description Revision that the change starts from; or send it as If-Match
             */
            revision?: number;
            settings: components["schemas"]["CdndnsCertificateSettings"];
        };
        CdndnsDNSSetup: {
            /** @description Secret of the DNS provider; write-only */
            api_token: string;
            /** @description Domain name */
            domain: string;
            /** @default false */
            save_integration?: boolean;
            /** @description IP address of the server */
            server_ip: string;
        };
        CdndnsDNSSetupResult: {
            created: components["schemas"]["CdndnsMadeRecord"][];
            /** @description Records that stood there already */
            existing: components["schemas"]["CdndnsMadeRecord"][];
            /** @description The saved integration, without the token */
            integration?: components["schemas"]["CdndnsIntegration"];
            /** @description Zone that the domain lies in */
            root_domain: string;
            /** @description Why the integration could not be saved; the records stand */
            save_error?: string;
            /** @description The code of save_error, as a refusal of the save alone would have it */
            save_error_code?: string;
        };
        CdndnsExternalAccount: {
            key_id: string;
            /** @description Base64 for addresses; absent: the stored one stays; empty: it is removed */
            mac_key?: string;
        };
        CdndnsIntegration: {
            /** Format: date-time */
            created_at: string;
            /** @description What was entered, without what is secret */
            fields: {
                [key: string]: string;
            };
            has_token: boolean;
            /** Format: uuid */
            id: string;
            label: string;
            /** @description What the last check met; empty: nothing */
            last_error: string;
            /**
             * Format: date-time
             * @description When the last check succeeded; null: never
             */
            last_verified_at: string | null;
            permissions_checked: components["schemas"]["CdndnsPermissions"];
            provider: string;
            /** Format: int64 */
            revision: number;
            /** Format: date-time */
            updated_at: string;
            /** @description Those that the last check found */
            zones: components["schemas"]["CdndnsZone"][];
        };
        CdndnsIntegrationChange: {
            /** @description Fields that change; the others stay */
            fields?: {
                [key: string]: string;
            };
            label?: string;
            /**
             * Format: int64
             * @description Revision that the change starts from; or send it as If-Match
             */
            revision?: number;
        };
        CdndnsIntegrationPage: {
            items: components["schemas"]["CdndnsIntegration"][];
            /** @description Pass as cursor to read on; null on the last page */
            next_cursor: string | null;
            /** Format: int64 */
            total: number;
        };
        CdndnsMadeRecord: {
            name: string;
            type: string;
            value: string;
        };
        CdndnsNewCertificate: {
            /** @description PEM, the certificate itself first */
            chain: string;
            /** @description PEM of the private key, without a passphrase */
            key: string;
        };
        CdndnsNewIntegration: {
            /** @description By the names of the service's fields; secret ones are write-only */
            fields: {
                [key: string]: string;
            };
            label: string;
            /** @description Name of a service of GET /api/v1/dns/providers */
            provider: string;
        };
        CdndnsPermissions: {
            dns_edit: boolean;
            zone_read: boolean;
        };
        CdndnsProviderKind: {
            /** @description A CDN, which holds no zones; others are DNS services */
            cdn: boolean;
            fields: components["schemas"]["ProviderField"][];
            name: string;
            /** @description The service's own name */
            title: string;
        };
        CdndnsProviderList: {
            items: components["schemas"]["CdndnsProviderKind"][];
        };
        CdndnsShownCertificateSettings: {
            /** @enum {string} */
            authority: "letsencrypt" | "letsencrypt-staging" | "other";
            directory: string;
            email: string;
            external_account: components["schemas"]["CdndnsShownExternalAccount"];
            roots: string;
        };
        CdndnsShownCertificateSettingsDocument: {
            /**
             * Format: int64
             * @description Send it back with a change; 0: nothing was stored yet
             */
            revision: number;
            settings: components["schemas"]["CdndnsShownCertificateSettings"];
            /** @description false: the defaults hold */
            stored: boolean;
            /**
             * Format: date-time
             * @description When it was stored last; null: never
             */
            updated_at: string | null;
            /** @description Fields whose default is a variable, and which of both holds */
            variables?: components["schemas"]["SettingsVariable"][];
        };
        CdndnsShownExternalAccount: {
            has_mac_key: boolean;
            key_id: string;
        };
        CdndnsZone: {
            /** @description What the service calls it */
            id: string;
            name: string;
        };
        CdndnsZoneList: {
            items: components["schemas"]["CdndnsZone"][];
        };
        CdnRecord: {
            /** @enum {string} */
            type: "A" | "AAAA" | "CNAME" | "FRONT";
            value: string;
        };
        CdnResource: {
            /**
             * Format: uuid
             * @description The apply that made it
             */
            apply_id: string;
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            domain_id: string;
            /** @description Flows that are reached through it */
            flow_ids: string[];
            hostname: string;
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            integration_id: string;
            /**
             * @description The network
             * @enum {string}
             */
            kind: "cloudflare" | "bunny" | "yandex";
            /** @description The panel made it and removes it; otherwise it stood there before */
            made: boolean;
            /**
             * @description A record in a zone, or what a CDN keeps for the host name
             * @enum {string}
             */
            object: "record" | "front";
            /** @description Of a front: the type is FRONT, the value the address that it fetches from */
            record: components["schemas"]["CdnRecord"];
            /**
             * @description ready: the network answers for the host name
             * @enum {string}
             */
            state: "provisioning" | "ready";
            /** Format: date-time */
            updated_at: string;
            /** @description Empty for a front */
            zone: string;
        };
        CdnResourcePage: {
            items: components["schemas"]["CdnResource"][];
            /** @description Pass as cursor to read on; null on the last page */
            next_cursor: string | null;
            /** Format: int64 */
            total: number;
        };
        CertificatesBudget: {
            /** @description Address of the authority */
            directory: string;
            domain: string;
            /**
             * Format: date-time
             * @description When the oldest of them stops counting
             */
            free_at: string | null;
            /**
             * Format: int64
             * @description New certificates of the last 168 hours; renewals do not count
             */
            issued: number;
            /** Format: int64 */
            limit: number;
        };
        CertificatesCertificate: {
            challenge: string;
            /** Format: date-time */
            created_at: string;
            /** @description SHA-256 of the certificate */
            fingerprint: string;
            /** Format: uuid */
            id: string;
            issuer: string;
            last_error: string;
            names: string[];
            /** Format: date-time */
            not_after: string | null;
            /** Format: date-time */
            not_before: string | null;
            /**
             * Format: date-time
             * @description When the panel orders the next one
             */
            renew_at: string | null;
            /**
             * Format: date-time
             * @description When the panel tries again after a failure
             */
            retry_at: string | null;
            serial: string;
            /** @enum {string} */
            source: "authority" | "upload";
            /** @enum {string} */
            state: "none" | "issuing" | "valid" | "expiring" | "expired" | "failed";
        };
        CertificatesCertificatePage: {
            items: components["schemas"]["CertificatesCertificate"][];
            /** @description Pass as cursor to read on; null on the last page */
            next_cursor: string | null;
            /** Format: int64 */
            total: number;
        };
        ClientsActs: {
            /** @enum {string} */
            act: "enable" | "disable" | "revoke" | "tags" | "expiry" | "extend" | "quota" | "reset_traffic" | "give_flow" | "take_flow";
            /** @description Of tags */
            add_tags?: string[];
            /**
             * Format: date-time
             * @description Of expiry
             */
            expires_at?: string;
            /**
             * Format: int64
             * @description Of extend: as many days more than it had, or from now where its time is over
             */
            extend_days?: number;
            /** @description Of give_flow and take_flow */
            flow_id?: string;
            /** @description Clients; each is acted on once */
            ids: string[];
            /** @description Of expiry */
            never_expires?: boolean;
            /** @description Of quota */
            no_quota?: boolean;
            /** @description Of quota */
            quota?: components["schemas"]["ClientsQuota"];
            /** @description Of tags */
            remove_tags?: string[];
        };
        ClientsBulkOutcome: {
            /** Format: int64 */
            failed: number;
            /** @description In the order of the ids */
            results: components["schemas"]["ClientsBulkResult"][];
            /** Format: int64 */
            succeeded: number;
        };
        ClientsBulkResult: {
            client_id: string;
            code?: string;
            error?: string;
            ok: boolean;
        };
        ClientsChange: {
            /** @description One that is disabled may use nothing until it is enabled again */
            enabled?: boolean;
            /** Format: date-time */
            expires_at?: string;
            label?: string;
            /** @description Takes expires_at away */
            never_expires?: boolean;
            /** @description Takes the quota away */
            no_quota?: boolean;
            note?: string;
            /** @description Hand the client over; full access only */
            owner_id?: string;
            quota?: components["schemas"]["ClientsQuota"];
            /**
             * Format: int64
             * @description Revision that the change starts from; or send it as If-Match
             */
            revision?: number;
            tags?: string[];
        };
        ClientsClient: {
            /** Format: date-time */
            created_at: string;
            enabled: boolean;
            /**
             * Format: date-time
             * @description From then on it may use nothing; null: never
             */
            expires_at: string | null;
            /** @description That it may use, oldest first */
            flows: components["schemas"]["ClientsUse"][];
            /** @description It has a subscription */
            has_public_link: boolean;
            /** Format: uuid */
            id: string;
            label: string;
            /**
             * Format: date-time
             * @description When it was last seen to carry anything; null: never
             */
            last_seen_at: string | null;
            note: string;
            /** @description It carried something within the last three minutes */
            online: boolean;
            owner_id: string;
            /** @description null: as much as it likes */
            quota: components["schemas"]["ClientsQuota"];
            /** Format: int64 */
            revision: number;
            /** Format: date-time */
            revoked_at: string | null;
            /** @enum {string} */
            state: "active" | "disabled" | "expired" | "spent" | "revoked";
            tags: string[];
            total: components["schemas"]["ClientsTraffic"];
            /** Format: date-time */
            updated_at: string;
            used: components["schemas"]["ClientsUsed"];
        };
        ClientsClientPage: {
            items: components["schemas"]["ClientsClient"][];
            /** @description Pass as cursor to read on; null on the last page */
            next_cursor: string | null;
            /** Format: int64 */
            total: number;
        };
        ClientsCourse: {
            /** @description Each day in UTC, also those without traffic; the last one is today */
            days: components["schemas"]["ClientsDay"][];
        };
        ClientsDay: {
            /** Format: date */
            day: string;
            /**
             * Format: int64
             * @description To the client
             */
            down: number;
            /**
             * Format: int64
             * @description From the client
             */
            up: number;
        };
        ClientsFlowClient: {
            /** @description An apply of the flow changes that; else the nodes do it by themselves, at once */
            by_apply: boolean;
            /** Format: date-time */
            created_at: string;
            has_public_link: boolean;
            has_secret: boolean;
            id: string;
            /** @description The entries of the flow let it in, so that it has a link; of one that is not active: still */
            installed: boolean;
            label: string;
            /** Format: date-time */
            revoked_at: string | null;
            /**
             * @description One that is not active is let in no more
             * @enum {string}
             */
            state: "active" | "disabled" | "expired" | "spent" | "revoked";
        };
        ClientsFlowClientBody: {
            label: string;
        };
        ClientsFlowClientPage: {
            items: components["schemas"]["ClientsFlowClient"][];
            /** @description Pass as cursor to read on; null on the last page */
            next_cursor: string | null;
            /** Format: int64 */
            total: number;
        };
        ClientsFoundClient: {
            flow_id: string;
            flow_name: string;
            id: string;
            /** @description Part of the installed revision, so that it has a link */
            installed: boolean;
            label: string;
        };
        ClientsFoundClients: {
            items: components["schemas"]["ClientsFoundClient"][];
        };
        ClientsImport: {
            clients: components["schemas"]["ClientsLine"][];
            /** @description Only tell what would be done */
            dry_run?: boolean;
        };
        ClientsImported: {
            /** Format: int64 */
            added: number;
            /** @description Labels that are there already; nothing was changed about them */
            skipped: string[];
        };
        ClientsLine: {
            disabled?: boolean;
            /** Format: date-time */
            expires_at?: string;
            flows?: string[];
            label: string;
            note?: string;
            quota?: components["schemas"]["ClientsQuota"];
            tags?: string[];
        };
        ClientsNewClient: {
            /** Format: date-time */
            expires_at?: string;
            /** @description Flows that it may use */
            flow_ids?: string[];
            label: string;
            note?: string;
            quota?: components["schemas"]["ClientsQuota"];
            tags?: string[];
        };
        ClientsPublicLink: {
            /** Format: date-time */
            created_at: string;
            url: string;
        };
        ClientsQuota: {
            /**
             * Format: int64
             * @description Up and down together
             */
            bytes: number;
            /**
             * @description When it begins again, at midnight UTC
             * @default never
             * @enum {string}
             */
            reset?: "never" | "daily" | "weekly" | "monthly";
        };
        ClientsTraffic: {
            /**
             * Format: int64
             * @description To the client
             */
            down: number;
            /**
             * Format: int64
             * @description From the client
             */
            up: number;
        };
        ClientsUse: {
            /** @description An apply of the flow changes that; else the nodes do it by themselves, at once */
            by_apply: boolean;
            flow_id: string;
            flow_name: string;
            /** @description The entries of the flow let it in, so that it has a link */
            installed: boolean;
            /** Format: date-time */
            since: string;
            /** @description What it has carried on the flow */
            total: components["schemas"]["ClientsTraffic"];
        };
        ClientsUsed: {
            /**
             * Format: int64
             * @description To the client
             */
            down: number;
            /** Format: date-time */
            since: string;
            /**
             * Format: int64
             * @description From the client
             */
            up: number;
        };
        DiagnosticsBundleRequest: {
            /** @description The period of the logs: 1h, 24h, 7d */
            since: string;
        };
        DiagnosticsLine: {
            component: string;
            /** @enum {string} */
            level: "" | "DEBUG" | "INFO" | "WARN" | "ERROR";
            /** @description The message and its values */
            text: string;
            /** Format: date-time */
            time: string | null;
        };
        DiagnosticsLog: {
            /** @enum {string} */
            component: "backend" | "worker" | "scheduler" | "nginx";
            lines: components["schemas"]["DiagnosticsLine"][];
            /** @description Why not from a place that is asked earlier */
            skipped: string[];
            /** @description Where the lines come from; empty when no log was found */
            source: string;
            /** @description The texts in other languages, by the code of the language */
            translations: {
                [key: string]: components["schemas"]["DiagnosticsLogWords"];
            };
        };
        DiagnosticsLogWords: {
            skipped: string[];
            source: string;
        };
        DiagnosticsView: {
            /** @description What to type on the server for a new one */
            command: string;
            /** @description The last diagnosis that was saved on the server; null when there was none */
            doctor: components["schemas"]["DoctorDocument"];
            log: components["schemas"]["DiagnosticsLog"];
            /** @description PANEL_SUPPORT_URL is set: a bundle can be sent */
            upload: boolean;
        };
        DoctorChange: {
            from: string;
            id: string;
            to: string;
        };
        DoctorChanges: {
            /** Format: date-time */
            since: string;
            statuses: components["schemas"]["DoctorChange"][];
        };
        DoctorCheckDocument: {
            action?: string;
            data?: {
                [key: string]: unknown;
            };
            doc: string;
            /** Format: int64 */
            duration_ms: number;
            finding: string;
            group: string;
            id: string;
            status: string;
            subject?: string;
            title: string;
            /** @description The texts in other languages, by the code of the language */
            translations?: {
                [key: string]: components["schemas"]["DoctorWords"];
            };
        };
        DoctorDocument: {
            changes?: components["schemas"]["DoctorChanges"];
            checks: components["schemas"]["DoctorCheckDocument"][];
            /** Format: int64 */
            duration_ms: number;
            host: string;
            schema: string;
            /** Format: date-time */
            started_at: string;
            summary: {
                [key: string]: number;
            };
        };
        DoctorWords: {
            action?: string;
            finding: string;
            title: string;
        };
        DomainsCDN: {
            /** @description Where the host name leads to; empty where it has a record of its own */
            cname: string;
            /**
             * Format: uuid
             * @description The account at a CDN; null: the network of the DNS service that holds the zone
             */
            integration_id: string | null;
            /** @description The network; empty while nothing stands there */
            kind: string;
            /** @description Address that the network fetches from */
            origin_host: string;
            /**
             * Format: int64
             * @description 0: the port that clients connect to
             */
            origin_port: number;
            /** @description What the network calls it */
            resource_id: string;
            /** @enum {string} */
            state: "absent" | "provisioning" | "ready";
        };
        DomainsCertificate: {
            challenge: string;
            issuer: string;
            last_error: string;
            /** Format: date-time */
            not_after: string | null;
            /** @enum {string} */
            state: "none" | "issuing" | "valid" | "expiring" | "expired" | "failed";
        };
        DomainsCreateInputBody: {
            /** @description Account at a CDN that the host name leads through; only with the mode cdn */
            cdn_integration_id?: string;
            /** @description First part of the host name; empty: derived from the node's name */
            label?: string;
            /**
             * @default direct
             * @enum {string}
             */
            mode?: "direct" | "cdn" | "relay" | "reality_sni" | "static_site";
            /** Format: uuid */
            node_id: string;
            /**
             * Format: int64
             * @default 300
             */
            ttl?: number;
            /** @description Domain that the host name lies in */
            zone: string;
            /** Format: uuid */
            zone_id?: string;
        };
        DomainsDomain: {
            cdn: components["schemas"]["DomainsCDN"];
            certificate: components["schemas"]["DomainsCertificate"];
            /** Format: date-time */
            created_at: string;
            /** @enum {string} */
            dns_state: "pending" | "propagating" | "ok" | "mismatch" | "error";
            hostname: string;
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            mode: "direct" | "cdn" | "relay" | "reality_sni" | "static_site";
            /** Format: uuid */
            node_id: string;
            owner_id: string;
            record: components["schemas"]["DomainsRecord"];
            resolved_ips: string[];
            /** Format: int64 */
            revision: number;
            /** Format: date-time */
            updated_at: string;
            used_by_flows: string[];
            /** @description Domain that the host name lies in */
            zone: string;
            zone_id: string | null;
        };
        DomainsDomainPage: {
            items: components["schemas"]["DomainsDomain"][];
            /** @description Pass as cursor to read on; null on the last page */
            next_cursor: string | null;
            /** Format: int64 */
            total: number;
        };
        DomainsPatchInputBody: {
            /** @description Empty: the network of the DNS service */
            cdn_integration_id?: string;
            label?: string;
            /** @enum {string} */
            mode?: "direct" | "cdn" | "relay" | "reality_sni" | "static_site";
            /** Format: uuid */
            node_id?: string;
            /**
             * Format: uuid
             * @description Hands the binding over; needs full access
             */
            owner_id?: string;
            /** Format: int64 */
            revision?: number;
            /** Format: int64 */
            ttl?: number;
            zone?: string;
        };
        DomainsRecord: {
            proxied: boolean;
            /** Format: int64 */
            ttl: number;
            /** @enum {string} */
            type: "A" | "AAAA" | "CNAME";
        };
        FaultFieldError: {
            code: string;
            field: string;
            message: string;
        };
        FiguresCells: {
            /** @description At most 500: those that need attention first, then by region and name */
            cells: unknown[][];
            /**
             * Format: int64
             * @description Nodes of the fleet
             */
            total: number;
        };
        FiguresCity: {
            city: string;
            country_code: string;
            /** @description Without states that no node is in */
            states: {
                [key: string]: number;
            };
            /** Format: int64 */
            total: number;
        };
        FiguresCountry: {
            code: string;
            /** Format: int64 */
            nodes: number;
        };
        FiguresFailed: {
            /** Format: uuid */
            id: string;
            name: string;
            /**
             * Format: date-time
             * @description null: before anything is known
             */
            since: string | null;
            /** @enum {string} */
            state: "offline" | "degraded";
            /**
             * Format: date-time
             * @description null: it lasts until now
             */
            until: string | null;
        };
        FiguresFigures: {
            /**
             * Format: double
             * @description Mean of the nodes; null without any
             */
            cpu_pct: number | null;
            /** Format: double */
            net_rx_bps: number;
            /** Format: double */
            net_tx_bps: number;
            /**
             * Format: int64
             * @description Nodes with a reading that is not stale; the other figures are about these
             */
            nodes: number;
            /**
             * Format: date-time
             * @description The oldest reading among them
             */
            oldest_sample_at: string | null;
            /**
             * Format: int64
             * @description Open sessions of listeners; null while no agent counts them
             */
            sessions: number | null;
        };
        FiguresIncident: {
            /** @enum {string} */
            cause: "agent_lost" | "agent_stale" | "agent_revoked" | "core_failed" | "core_stopped" | "config_behind" | "cloned";
            /** @description The first 20 by name */
            first: components["schemas"]["NodesapiNamed"][];
            /** @description The first 10 by name, for callers who may see flows */
            first_flows: components["schemas"]["NodesapiNamed"][];
            /**
             * Format: int64
             * @description Flows that are installed on any of the nodes; null when it could not be asked
             */
            flows: number | null;
            /** Format: int64 */
            nodes: number;
            /**
             * Format: date-time
             * @description When it began on the first of the nodes; of lost and stale agents, when they last reported
             */
            since: string;
            /** @enum {string} */
            state: "offline" | "degraded";
            /**
             * Format: date-time
             * @description When it began on the last of them
             */
            until: string;
        };
        FiguresMoment: {
            /** Format: date-time */
            at: string;
            /** @description As cells of the fleet, of nodes that are still there, with their state, which may be unknown, and their mean load then */
            cells: unknown[][];
            /**
             * Format: date-time
             * @description The newest change of a node's state more than a minute before; null without one
             */
            earlier: string | null;
            /**
             * Format: date-time
             * @description The first moment that is known; null while nothing is
             */
            earliest: string | null;
            /** @description Nodes that were offline or degraded, the newest failures first; at most 100 */
            failing: components["schemas"]["FiguresFailed"][];
            /**
             * Format: int64
             * @description How many they were in all
             */
            failures: number;
            /** @description Of the minute before; null when the panel noted none, because it did not run */
            figures: components["schemas"]["FiguresFigures"];
            /**
             * Format: date-time
             * @description The first change of a node's state after; null without one
             */
            later: string | null;
            states: {
                [key: string]: number;
            };
            /** Format: int64 */
            total: number;
        };
        FiguresRegion: {
            cities: components["schemas"]["FiguresCity"][];
            figures: components["schemas"]["FiguresFigures"];
            region: string;
            /** @description Without states that no node is in */
            states: {
                [key: string]: number;
            };
            /** Format: int64 */
            total: number;
        };
        FiguresSpark: {
            /** Format: uuid */
            id: string;
            /** @description 48 means, oldest first; null: nothing was measured */
            points: (number | null)[];
        };
        FiguresSparks: {
            /**
             * Format: date-time
             * @description Beginning of the first step
             */
            from: string;
            /** @description In the order of the ids; unknown ids are left out */
            items: components["schemas"]["FiguresSpark"][];
            /** Format: int64 */
            step_seconds: number;
        };
        FiguresSummary: {
            /** @description Versions of agents, the most common first */
            agents: components["schemas"]["FiguresVersion"][];
            /** Format: date-time */
            at: string;
            /** @description Nodes that fail for one cause since about the same time; the worst and newest first, at most 50 groups */
            attention: components["schemas"]["FiguresIncident"][];
            /**
             * Format: int64
             * @description Nodes of all groups, also of those that are not shown
             */
            attention_nodes: number;
            countries: components["schemas"]["FiguresCountry"][];
            /**
             * Format: int64
             * @description Nodes that do not serve their desired configuration
             */
            drift: number;
            figures: components["schemas"]["FiguresFigures"];
            /** @description By name */
            regions: components["schemas"]["FiguresRegion"][];
            /**
             * Format: int64
             * @description Age in seconds at which a reading is no longer counted
             */
            stale_after_s: number;
            states: {
                [key: string]: number;
            };
            /** @description The 100 most common */
            tags: components["schemas"]["FiguresTag"][];
            /** Format: int64 */
            total: number;
        };
        FiguresTag: {
            /** Format: int64 */
            nodes: number;
            tag: string;
        };
        FiguresVersion: {
            /** Format: int64 */
            nodes: number;
            /** @description Empty: no agent has reported yet */
            version: string;
        };
        FlowsapiText: {
            code: string;
            params?: {
                [key: string]: string;
            };
            text: string;
        };
        FlowsApply: {
            apply_id: string;
            bypassed_checks: components["schemas"]["FlowsBypassCheck"][];
            cdn: components["schemas"]["FlowsPartResult"];
            /** @description What is going on, or what the end was, in one sentence */
            detail: string;
            error: components["schemas"]["FlowsStepError"];
            /** Format: date-time */
            finished_at: string | null;
            flow_id: string;
            forced: boolean;
            /** @enum {string} */
            kind: "apply" | "enable" | "rerender" | "restore" | "disable" | "delete";
            /** @enum {string} */
            phase: "before_prepare" | "waiting" | "preparing" | "before_switch" | "parking" | "switching" | "probing" | "committing" | "reverting" | "undoing" | "applied" | "apply_failed";
            plan_id: string | null;
            proxypanel: components["schemas"]["FlowsPartResult"];
            /** Format: int64 */
            revision: number;
            /** @description What other modules do in this apply */
            stages: components["schemas"]["StagesRecord"][];
            /** Format: date-time */
            started_at: string;
            started_by: string;
            /** @enum {string} */
            state: "applying" | "applied" | "apply_failed";
            steps: components["schemas"]["FlowsApplyStep"][];
            /** @description Who stopped it; null when nobody did */
            stopped_by: string | null;
            /** @description The detail with its code */
            text: components["schemas"]["PlanText"];
            version_id: string | null;
            /** Format: int64 */
            version_number: number | null;
        };
        FlowsApplyBody: {
            /** @description Accept the risk of unconfirmed readiness */
            force_apply?: boolean;
            /** @description Plan id */
            id: string;
            /**
             * Format: int64
             * @description Plan revision
             */
            revision: number;
        };
        FlowsApplyPage: {
            items: components["schemas"]["FlowsApply"][];
            /** @description Pass as cursor to read on; null on the last page */
            next_cursor: string | null;
            /** Format: int64 */
            total: number;
        };
        FlowsApplyStep: {
            /** @enum {string} */
            action: "configure" | "remove";
            detail: string;
            /** @enum {string} */
            detail_code: "adds" | "changes" | "leaves" | "restores";
            error: components["schemas"]["FlowsStepError"];
            /** @enum {string} */
            interruption: "none" | "reload" | "restart";
            node_id: string;
            node_name: string;
            /** Format: int64 */
            order: number;
            /** @enum {string} */
            role: "exit" | "transit" | "entry" | "none";
            stages: components["schemas"]["FlowsStepStage"][];
            /** @enum {string} */
            state: "queued" | "preparing" | "testing" | "switching" | "probing" | "done" | "failed" | "reverted" | "revert_failed";
        };
        FlowsBulkApplyInputBody: {
            items: components["schemas"]["BulkWanted"][];
            /** @description One after the other, until one does not go well */
            stop_on_failure?: boolean;
        };
        FlowsBypassCheck: {
            finding: components["schemas"]["PlanText"];
            /** @description force_apply passes it */
            forceable: boolean;
            group: string;
            key: string;
            node_id: string;
            node_name?: string;
            /** @enum {string} */
            status: "unconfirmed" | "failed";
        };
        FlowsClient: {
            /** @description An apply of the flow changes that; else the nodes do it by themselves, at once */
            by_apply: boolean;
            /** Format: date-time */
            created_at: string;
            has_public_link: boolean;
            has_secret: boolean;
            id: string;
            /** @description The entries of the flow let it in, so that it has a link; of one that is not active: still */
            installed: boolean;
            label: string;
            /** Format: date-time */
            revoked_at: string | null;
            /**
             * @description One that is not active is let in no more
             * @enum {string}
             */
            state: "active" | "disabled" | "expired" | "spent" | "revoked";
        };
        FlowsClientCounts: {
            /** Format: int64 */
            active: number;
            /**
             * Format: int64
             * @description All but revoked ones
             */
            total: number;
            /**
             * Format: int64
             * @description The next apply lets them in or shuts them out
             */
            waiting: number;
        };
        FlowsConnectionLink: {
            client_id: string;
            /** @description wireguard: the file that programs of WireGuard read */
            conf?: string;
            /** @enum {string} */
            format: "vless" | "trojan" | "shadowsocks" | "vmess" | "hysteria2" | "wireguard";
            /**
             * Format: int64
             * @description Installed revision that it matches
             */
            revision: number;
            uri: string;
        };
        FlowsCreateBody: {
            description?: string;
            graph?: components["schemas"]["GraphGraph"];
            name: string;
            tags?: string[];
        };
        FlowsDraft: {
            flow_id: string;
            graph: components["schemas"]["GraphGraph"];
            problems: components["schemas"]["GraphProblem"][];
            /** Format: int64 */
            revision: number;
            /** Format: date-time */
            updated_at: string;
            updated_by: string;
        };
        FlowsDraftBody: {
            graph: components["schemas"]["GraphGraph"];
            /**
             * Format: int64
             * @description Revision that the change was made on; or send If-Match
             */
            revision?: number;
            /** @description Version that the drawing is, when one is loaded into the draft */
            version_id?: string;
        };
        FlowsDrift: {
            node_ids: string[];
            /** @description Parts of the last apply that do not hold yet */
            stages: components["schemas"]["StagesRecord"][];
            /** @enum {string} */
            state: "in_sync" | "drifted" | "unknown";
        };
        FlowsExplainStep: {
            /**
             * Format: int64
             * @description Index into graph.edges
             */
            edge: number;
            from: string;
            reason: string;
            /** @enum {string} */
            result: "taken" | "passed_over" | "no_data";
            to: string;
        };
        FlowsExplanation: {
            /** @description Node that the traffic leaves from */
            node_id: string;
            /** @enum {string} */
            result: "exit" | "direct" | "block" | "unknown";
            steps: components["schemas"]["FlowsExplainStep"][];
        };
        FlowsFlow: {
            /** @description Checks that the installed version was applied without */
            bypassed_checks: components["schemas"]["FlowsBypassCheck"][];
            client_counts: components["schemas"]["FlowsClientCounts"];
            /** Format: date-time */
            created_at: string;
            description: string;
            /**
             * Format: int64
             * @description Changes of the draft against the installed version; null while not known
             */
            draft_changes: number | null;
            /** Format: int64 */
            draft_revision: number;
            drift: components["schemas"]["FlowsDrift"];
            enabled: boolean;
            /** @description First entry of the draft; null while there is none */
            entry: components["schemas"]["FlowsFlowEntry"];
            /** @enum {string} */
            health_state: "unknown" | "healthy" | "degraded" | "down";
            id: string;
            /** Format: date-time */
            installed_at: string | null;
            /** Format: int64 */
            installed_revision: number | null;
            installed_version_id: string | null;
            /** Format: int64 */
            installed_version_number: number | null;
            last_apply_id: string | null;
            name: string;
            /** @description Nodes of the installed revision */
            node_ids: string[];
            owner_id: string;
            policy_id: string | null;
            /** Format: int64 */
            revision: number;
            /** @enum {string} */
            state: "draft" | "compiled" | "applying" | "applied" | "apply_failed";
            tags: string[];
            /** Format: date-time */
            updated_at: string;
        };
        FlowsFlowDetail: {
            /** @description Checks that the installed version was applied without */
            bypassed_checks: components["schemas"]["FlowsBypassCheck"][];
            client_counts: components["schemas"]["FlowsClientCounts"];
            /** @description The first 100, oldest first; …/clients has all of them in pages */
            clients: components["schemas"]["FlowsClient"][];
            /** Format: date-time */
            created_at: string;
            description: string;
            /**
             * Format: int64
             * @description Changes of the draft against the installed version; null while not known
             */
            draft_changes: number | null;
            /** Format: int64 */
            draft_revision: number;
            drift: components["schemas"]["FlowsDrift"];
            enabled: boolean;
            /** @description First entry of the draft; null while there is none */
            entry: components["schemas"]["FlowsFlowEntry"];
            /** @enum {string} */
            health_state: "unknown" | "healthy" | "degraded" | "down";
            id: string;
            /** Format: date-time */
            installed_at: string | null;
            /** Format: int64 */
            installed_revision: number | null;
            installed_version_id: string | null;
            /** Format: int64 */
            installed_version_number: number | null;
            last_apply_id: string | null;
            name: string;
            /** @description Nodes of the installed revision */
            node_ids: string[];
            owner_id: string;
            policy_id: string | null;
            /** Format: int64 */
            revision: number;
            /** @enum {string} */
            state: "draft" | "compiled" | "applying" | "applied" | "apply_failed";
            tags: string[];
            /** Format: date-time */
            updated_at: string;
        };
        FlowsFlowEntry: {
            /** @description Derived domain name, else the node's address; empty when unknown */
            host: string;
            key: string;
            listener: components["schemas"]["GraphListener"];
            node_domain_id: string | null;
            node_id: string;
        };
        FlowsFlowPage: {
            items: components["schemas"]["FlowsFlow"][];
            /** @description Pass as cursor to read on; null on the last page */
            next_cursor: string | null;
            /** Format: int64 */
            total: number;
        };
        FlowsLinkBody: {
            /** @description The first client when left out */
            client_id?: string;
        };
        FlowsNodeDrift: {
            /** @description What restoring changes */
            diff: components["schemas"]["PlanDiff"];
            /** @description The panel knows what runs; without it there is no difference to show */
            known: boolean;
            node_id: string;
            node_name: string;
            /** @description Its agent answers, so that the node can be restored now */
            online: boolean;
            /** @description The flow's own part runs as it is installed */
            part_same: boolean;
            /** @description So does everything else on the node */
            rest_same: boolean;
            /**
             * Format: int64
             * @description Configuration of the node that runs; 0 for none
             */
            running_revision: number;
            /** @enum {string} */
            state: "in_sync" | "drifted" | "unknown";
            /**
             * Format: int64
             * @description The installed version
             */
            version_number: number | null;
            /**
             * Format: int64
             * @description Configuration that the node shall serve
             */
            wanted_revision: number;
        };
        FlowsPartResult: {
            detail: string;
            /** @enum {string} */
            state: "skipped" | "pending" | "done" | "failed";
        };
        FlowsPatchBody: {
            description?: string;
            name?: string;
            /** @description Hand the flow over; full access only */
            owner_id?: string;
            /** Format: int64 */
            revision?: number;
            tags?: string[];
        };
        FlowsPreviewBody: {
            /** @description Instead of the saved draft */
            graph?: components["schemas"]["GraphGraph"];
        };
        FlowsRendered: {
            config: {
                [key: string]: unknown;
            };
            node_id: string;
            sha256: string;
        };
        FlowsStepError: {
            /** @description Who stopped the apply */
            by?: string;
            code: string;
            message: string;
            node_id?: string;
            node_name?: string;
            output?: string;
            /** @description Stage of a module that failed */
            stage?: string;
        };
        FlowsStepStage: {
            detail: string;
            /** Format: date-time */
            finished_at: string | null;
            /** @enum {string} */
            stage: "prepare" | "test" | "switch" | "probe" | "commit" | "revert";
            /** Format: date-time */
            started_at: string | null;
            /** @enum {string} */
            state: "pending" | "running" | "done" | "failed" | "skipped";
            /** @description The detail with its code */
            text: components["schemas"]["PlanText"];
        };
        FlowsVersion: {
            applied: boolean;
            apply_id: string | null;
            bypassed_checks: components["schemas"]["FlowsBypassCheck"][];
            /** Format: date-time */
            created_at: string;
            created_by: string;
            id: string;
            /** @description This is the version that runs */
            installed: boolean;
            note: string;
            /** Format: int64 */
            number: number;
            /** @description Kept for good; others go by number or age */
            pinned: boolean;
            plan_hash: string;
            /** @enum {string} */
            reason: "apply" | "manual" | "import";
            /**
             * Format: int64
             * @description Draft revision it was taken from
             */
            revision: number;
        };
        FlowsVersionCreateBody: {
            note?: string;
            /** @enum {string} */
            reason?: "manual" | "import";
        };
        FlowsVersionPage: {
            items: components["schemas"]["FlowsVersion"][];
            /** @description Pass as cursor to read on; null on the last page */
            next_cursor: string | null;
            /** Format: int64 */
            total: number;
        };
        FlowsVersionPatchBody: {
            note?: string;
            /** @description Keep it for good */
            pinned?: boolean;
        };
        FlowsVersionSnapshot: {
            applied: boolean;
            apply_id: string | null;
            bypassed_checks: components["schemas"]["FlowsBypassCheck"][];
            /** Format: date-time */
            created_at: string;
            created_by: string;
            graph: components["schemas"]["GraphGraph"];
            id: string;
            /** @description This is the version that runs */
            installed: boolean;
            note: string;
            /** Format: int64 */
            number: number;
            /** @description Kept for good; others go by number or age */
            pinned: boolean;
            plan_hash: string;
            /** @enum {string} */
            reason: "apply" | "manual" | "import";
            /**
             * Format: int64
             * @description Draft revision it was taken from
             */
            revision: number;
        };
        GraphEdge: {
            from: string;
            match?: components["schemas"]["GraphMatch"];
            /** Format: int64 */
            priority?: number;
            to: string;
            /**
             * @description How the two nodes speak; raw when left out
             * @enum {string}
             */
            transport?: "raw" | "xhttp" | "grpc" | "ws" | "httpupgrade";
        };
        GraphExtra: {
            /** @description Uploads do not look like gRPC */
            no_grpc_header?: boolean;
            /** @description Downloads do not look like server-sent events */
            no_sse_header?: boolean;
            /** Format: int64 */
            sc_max_buffered_posts?: number;
            /** @description packet-up: most bytes of one upload */
            sc_max_each_post_bytes?: string;
            /** @description packet-up: shortest time between two uploads */
            sc_min_posts_interval_ms?: string;
            /** @description stream-up: how often the node pads an upload, in seconds */
            sc_stream_up_server_secs?: string;
            /** @description Bytes of padding of each request: 100-1000 */
            x_padding_bytes?: string;
            xmux?: components["schemas"]["GraphXmux"];
        };
        GraphGraph: {
            /** @description Ways from block to block */
            edges: components["schemas"]["GraphEdge"][];
            /** @description Blocks of the flow */
            nodes: components["schemas"]["GraphNode"][];
        };
        GraphLimit: {
            /** Format: int64 */
            after_bytes?: number;
            /**
             * Format: int64
             * @description bytes_per_sec when left out
             */
            burst_bytes_per_sec?: number;
            /** Format: int64 */
            bytes_per_sec: number;
        };
        GraphListener: {
            /** @description A load balancer stands in front and says with the PROXY protocol, version 1 or 2, who connects; nobody else gets in */
            accept_proxy_protocol?: boolean;
            /** @description tls: h2 and http/1.1 in their order; what the transport needs when left out */
            alpn?: string[];
            /** @description xhttp: how requests look and how many carry a stream */
            extra?: components["schemas"]["GraphExtra"];
            /** @enum {string} */
            fingerprint?: "chrome" | "firefox" | "safari" | "ios" | "android" | "edge" | "random" | "randomized";
            /** @enum {string} */
            flow?: "xtls-rprx-vision" | "none";
            /** @enum {string} */
            l4?: "tcp" | "udp" | "both";
            listen_ip?: string;
            /** @enum {string} */
            method?: "2022-blake3-aes-128-gcm" | "2022-blake3-aes-256-gcm";
            /**
             * @description tls: the lowest version; 1.2 when left out
             * @enum {string}
             */
            min_version?: "1.2" | "1.3";
            /** @enum {string} */
            mode?: "auto" | "packet-up" | "stream-up" | "stream-one";
            /**
             * @description hysteria2: hide QUIC from those who look at packets
             * @enum {string}
             */
            obfs?: "salamander" | "none";
            path?: string;
            /** Format: int64 */
            port?: number;
            /** @description Instead of port: 20000-20010; at most 1000 ports */
            port_range?: string;
            /** @enum {string} */
            protocol?: "vless" | "trojan" | "shadowsocks2022" | "vmess" | "hysteria2" | "wireguard";
            reality?: components["schemas"]["GraphReality"];
            /** @description shadowsocks2022: an own key of the listener in Base64; hysteria2: an own password of the obfuscation; kept sealed, and secret_ref stands for it */
            secret?: string;
            /** @description Names an own secret; left out: the panel makes one up */
            secret_ref?: string;
            /** @enum {string} */
            security?: "none" | "reality" | "tls";
            service_name?: string;
            /**
             * @description Whether the core looks for host names and protocols; auto: where a rule asks for them
             * @enum {string}
             */
            sniffing?: "auto" | "on" | "off";
            /** @enum {string} */
            transport?: "raw" | "xhttp" | "grpc" | "ws" | "httpupgrade" | "quic";
        };
        GraphMatch: {
            domain?: string[];
            geoip?: string[];
            geosite?: string[];
            ip?: string[];
            /** @description Ports and ranges: 80,443,1000-2000 */
            port?: string;
            /** @description http, tls, quic, bittorrent */
            protocol?: string[];
        };
        GraphNode: {
            /** @description Name inside this flow: a-z, 0-9, dash, underscore */
            key: string;
            /** @enum {string} */
            kind: "entry" | "transit_pool" | "transit" | "exit" | "direct" | "block" | "custom";
            node_domain_id?: string;
            node_id?: string;
            params?: components["schemas"]["GraphParams"];
            pool_id?: string;
            position?: components["schemas"]["GraphPosition"];
            title?: string;
        };
        GraphParams: {
            /** @description Exit or transit: where the previous node connects; may be left out */
            hop?: components["schemas"]["GraphListener"];
            /** @description Entry: where clients connect */
            listener?: components["schemas"]["GraphListener"];
            /**
             * @description Exit or direct: may clients reach private and loopback addresses of the node
             * @enum {string}
             */
            private?: "block" | "allow";
        };
        GraphPosition: {
            /** Format: double */
            x: number;
            /** Format: double */
            y: number;
        };
        GraphProblem: {
            /** @description What the node's agent cannot do */
            capability?: string;
            code: string;
            /** @description Core version of that node */
            core?: string;
            message: string;
            /** @description Name of the node concerned */
            node?: string;
            path: string;
        };
        GraphReality: {
            /** @description The target may be the node itself, the panel or in a private network */
            allow_private_target?: boolean;
            /** @description How fast strangers may read from the target */
            limit_fallback_down?: components["schemas"]["GraphLimit"];
            /** @description How fast strangers may send to the target */
            limit_fallback_up?: components["schemas"]["GraphLimit"];
            /** Format: int64 */
            max_time_diff?: number;
            /** @description Sign with ML-DSA-65 too, for links that withstand quantum computers */
            mldsa65?: boolean;
            /** @description An own X25519 key in Base64; kept sealed, and public_key stands for it from then on */
            private_key?: string;
            /** @description Of an own key; left out: the panel makes one up */
            public_key?: string;
            server_names?: string[];
            short_ids?: string[];
            /** @description host:port of a site with TLS 1.3 and h2 */
            target?: string;
            target_result_id?: string;
            /**
             * Format: int64
             * @description Version of the PROXY protocol that the target gets; 0: none
             */
            xver?: number;
        };
        GraphXmux: {
            c_max_reuse_times?: string;
            /**
             * Format: int64
             * @description -1: none
             */
            h_keep_alive_period?: number;
            h_max_request_times?: string;
            h_max_reusable_secs?: string;
            max_concurrency?: string;
            max_connections?: string;
        };
        HttpapiProblem: {
            /** @description Stable word that clients test */
            code: string;
            detail: string;
            errors?: components["schemas"]["FaultFieldError"][];
            request_id: string;
            /** Format: int64 */
            status: number;
            title: string;
            /** @description Always about:blank; the code names the problem */
            type: string;
        };
        ImportsEntry: {
            /** Format: int64 */
            clients: number;
            /** @description Host name that clients expect a certificate for; empty without TLS */
            domain: string;
            key: string;
            /** @description A name that no flow has yet */
            name: string;
            /** @description It was switched off there */
            off: boolean;
            /** @description Or a range */
            port: string;
            /** @description What is to be corrected in the draft before a plan */
            problems: components["schemas"]["ImportsProblem"][];
            protocol: string;
            /** Format: int64 */
            rules: number;
            security: string;
            transport: string;
            /** @description A whole flow of a panel, and no listener */
            whole: boolean;
        };
        ImportsFinding: {
            code: string;
            /** @description Key of the entry that it is about; may be empty */
            entry: string;
            /** @description Where it stands there */
            path: string;
            /** @description The code in English words */
            reason: string;
            /** @description Name of a protocol, a setting or a client; may be empty */
            what: string;
        };
        ImportsImport: {
            /**
             * Format: int64
             * @description Of all entries
             */
            clients: number;
            /** Format: date-time */
            created_at: string;
            /** @description Listeners that can become flows */
            entries: components["schemas"]["ImportsEntry"][];
            /**
             * Format: date-time
             * @description From then on it cannot be taken any more
             */
            expires_at: string;
            /** @description What could not be read, or is another in the flow */
            findings: components["schemas"]["ImportsFinding"][];
            /** @description What it has become; empty until it is taken */
            flows: components["schemas"]["ImportsMade"][];
            /** @description xray, remnawave, 3x-ui or flow */
            format: string;
            /** Format: uuid */
            id: string;
        };
        ImportsMade: {
            /** Format: int64 */
            clients: number;
            /** Format: uuid */
            id: string;
            key: string;
            name: string;
        };
        ImportsOutside: {
            /** @description Of 3x-ui, with its base path: https://203.0.113.7:2053/base/ */
            address: string;
            /** @description Second factor, where it asks for one */
            code?: string;
            password?: string;
            /** @description API token; or username and password */
            token?: string;
            username?: string;
        };
        ImportsProblem: {
            code: string;
            /** @description In English */
            message: string;
            /** @description Field of the drawing */
            path: string;
        };
        ImportsTake: {
            entries: components["schemas"]["ImportsTaken"][];
            /** @description Where the entries shall be; may be chosen in the drafts */
            node_id?: string;
        };
        ImportsTaken: {
            key: string;
            name: string;
        };
        LicenseActivateInputBody: {
            /** @description The same as license_key */
            key?: string;
            /** @description The license key, or the text of an offline document */
            license_key?: string;
        };
        LicenseAttempt: {
            /** Format: date-time */
            at: string;
            /** @description It gave a signed answer, be it a refusal */
            ok: boolean;
            /**
             * @description The signed verdict, or what went wrong
             * @example timeout
             */
            outcome: string;
            /**
             * @description Host of the license server
             * @example lic1.example.com
             */
            server: string;
            /** Format: int64 */
            took_ms: number;
        };
        LicenseFeatures: {
            blocked: string[];
            enabled: string[];
        };
        LicenseLastCheck: {
            /** Format: date-time */
            at: string;
            /** @description What went wrong, or the reason of a signed refusal */
            error: string | null;
            /** @description The server gave a signed answer, be it a refusal */
            ok: boolean;
        };
        LicenseStatus: {
            /** @description The latest questions to license servers, newest first, at most five */
            checks?: components["schemas"]["LicenseAttempt"][];
            features: components["schemas"]["LicenseFeatures"];
            /**
             * Format: date-time
             * @description When the server first failed to answer; the grace period counts from here
             */
            grace_since?: string;
            /**
             * Format: date-time
             * @description When the grace period ends; null outside of it
             */
            grace_until: string | null;
            /** @description Names this installation to the license server */
            instance_id: string;
            /** @example PNL-••••-••••-7F3A */
            key_masked: string | null;
            last_check: components["schemas"]["LicenseLastCheck"];
            /**
             * Format: date-time
             * @description When a license server signed its latest answer
             */
            last_contact_at?: string;
            /**
             * Format: date-time
             * @description null when nothing is checked: no license, or an offline document
             */
            next_check_at: string | null;
            plan: string | null;
            /** @description State-changing requests are refused */
            read_only: boolean;
            /**
             * @description Why the license is in this state; ok while it is active
             * @enum {string}
             */
            reason: "ok" | "none" | "expired" | "refused" | "removed" | "unreachable";
            /** @enum {string} */
            state: "active" | "grace" | "degraded";
            /** @description Another panel has not confirmed this change in time; it may answer by the former license until it hears again */
            unconfirmed?: boolean;
            /** Format: date-time */
            valid_until: string | null;
        };
        NodesAgentInfo: {
            arch: string;
            capabilities: string[];
            /** Format: int64 */
            clock_skew_ms: number;
            /** @description Its agent reported within two heartbeats */
            connected: boolean;
            /** Format: date-time */
            enrolled_at: string | null;
            hostname: string;
            /** Format: date-time */
            last_seen_at: string | null;
            /** @enum {string} */
            link: "never_enrolled" | "connected" | "stale" | "lost" | "revoked";
            os: string;
            /** @description Address by which it dials the panel; one that differs from PANEL_PUBLIC_URL is the reason panel_address */
            panel_url: string;
            /**
             * Format: date-time
             * @description Until when the token before the last rotation still works
             */
            previous_valid_until: string | null;
            /** Format: int64 */
            protocol: number;
            token_id: string | null;
            /** @enum {string} */
            update_state: "current" | "available" | "updating" | "failed";
            version: string;
        };
        NodesapiNamed: {
            id: string;
            name: string;
        };
        NodesapiPoint: {
            /** Format: date-time */
            at: string;
            /** Format: double */
            value: number;
        };
        NodesBinding: {
            /** @enum {string} */
            action: "bind" | "revoke";
            /** @description Of bind */
            enrollment: components["schemas"]["NodesIssuedToken"];
        };
        NodesBindingInputBody: {
            /**
             * @description bind gives a one-off enrollment token for this node; revoke ends the agent's access at its next request
             * @default bind
             * @enum {string}
             */
            action?: "bind" | "revoke";
        };
        NodesBrief: {
            city: string;
            country_code: string;
            /** Format: uuid */
            id: string;
            name: string;
            /**
             * @description As it was at most a second ago
             * @enum {string}
             */
            state: "pending" | "online" | "degraded" | "offline" | "maintenance" | "disabled";
        };
        NodesBriefs: {
            /** @description By name; of a search the first ones */
            nodes: components["schemas"]["NodesBrief"][];
        };
        NodesBulkBody: {
            /** @enum {string} */
            act: "maintenance_on" | "maintenance_off" | "tags" | "disable" | "enable" | "restart_core" | "update_agent" | "delete";
            /** @description Of tags */
            add_tags?: string[];
            /** @description Nodes; each is acted on once */
            ids: string[];
            /** @description Of maintenance_on */
            reason?: string;
            /** @description Of tags */
            remove_tags?: string[];
            /**
             * Format: date-time
             * @description Of maintenance_on: ends by itself then
             */
            until?: string;
        };
        NodesBulkOutcome: {
            /** Format: int64 */
            failed: number;
            results: components["schemas"]["NodesBulkResult"][];
            /** Format: int64 */
            succeeded: number;
        };
        NodesBulkResult: {
            /** @description Of a failure, as the operation on a single node gives it */
            code: string;
            error: string;
            node_id: string;
            ok: boolean;
            /** @description Work that goes on, of restart_core */
            operation_id: string | null;
        };
        NodesConfigState: {
            /** Format: date-time */
            at: string;
            error: string;
            ok: boolean;
            /** Format: int64 */
            revision: number;
            stage: string;
            stderr_tail: string;
        };
        NodesCoreInfo: {
            config_hash: string;
            /** Format: int64 */
            config_revision_desired: number;
            /** Format: int64 */
            config_revision_installed: number;
            error: string;
            /** @description It serves the desired configuration */
            in_sync: boolean;
            kind: string;
            /** @description How the last installation that the agent followed by itself ended */
            last_result: components["schemas"]["NodesConfigState"];
            /** Format: int64 */
            restarts: number;
            /** @enum {string} */
            state: "running" | "stopped" | "starting" | "restarting" | "failed" | "unknown";
            /** Format: int64 */
            uptime_s: number;
            version: string;
        };
        NodesCreateBody: {
            /** @description Host name or IP address; empty: the address the agent enrols from */
            address?: string;
            city?: string;
            country_code?: string;
            ips?: components["schemas"]["NodesNodeIP"][];
            name: string;
            note?: string;
            /** @description Whoever hosts the server, in your own words */
            provider_id?: string;
            /** @description What the host calls the server */
            provider_server_ref?: string;
            region?: string;
            roles?: ("entry" | "transit" | "exit" | "edge")[];
            tags?: string[];
        };
        NodesDetail: {
            /** @description Host name or IP address that clients and other nodes dial; never the node's identity */
            address: string;
            /** @description Addresses of the host's interfaces */
            addresses: string[];
            agent: components["schemas"]["NodesAgentInfo"];
            city: string;
            core: components["schemas"]["NodesCoreInfo"];
            /** @description ISO 3166 code, XX when unknown */
            country_code: string;
            /** Format: date-time */
            created_at: string;
            firewall: components["schemas"]["NodesFirewall"][];
            /** @description Flows whose installed configuration uses this node */
            flow_ids: string[];
            /** Format: uuid */
            id: string;
            ips: components["schemas"]["NodesNodeIP"][];
            /** @description Of the core, as its desired configuration opens them */
            listeners: components["schemas"]["NodesListener"][];
            maintenance: components["schemas"]["NodesWindow"];
            /** @description Latest sample; null before the first */
            metrics: components["schemas"]["NodesMetrics"];
            name: string;
            note: string;
            /** @description Whoever hosts the server, in the operator's words; null: unknown */
            provider_id: string | null;
            /** @description What the host calls the server */
            provider_server_ref: string;
            /** @description Why the node is not simply online: agent_stale, agent_lost, agent_revoked, core_failed, core_stopped, config_behind, cloned, never_enrolled, panel_address */
            reasons: string[];
            region: string;
            /** Format: int64 */
            revision: number;
            roles: string[];
            sockets: components["schemas"]["NodesSocket"][];
            /** @enum {string} */
            state: "pending" | "online" | "degraded" | "offline" | "maintenance" | "disabled";
            /**
             * Format: date-time
             * @description When it came into this state, to about a second
             */
            state_since: string;
            tags: string[];
            /** @description What it carries in a month */
            traffic: components["schemas"]["NodesTraffic"];
            /** Format: date-time */
            updated_at: string;
        };
        NodesEnrollmentToken: {
            auto_tags: string[];
            bind_node_id: string | null;
            /** Format: date-time */
            created_at: string;
            created_by: string;
            /** Format: date-time */
            expires_at: string;
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "one_off" | "reusable";
            label: string;
            /** Format: date-time */
            last_used_at: string | null;
            /** Format: date-time */
            revoked_at: string | null;
            /** @enum {string} */
            state: "active" | "used_up" | "expired" | "revoked";
            /**
             * Format: int64
             * @description null = no limit
             */
            usage_limit: number | null;
            /** Format: int64 */
            used_count: number;
        };
        NodesEnrollmentTokenPage: {
            items: components["schemas"]["NodesEnrollmentToken"][];
            /** @description Pass as cursor to read on; null on the last page */
            next_cursor: string | null;
            /** Format: int64 */
            total: number;
        };
        NodesFirewall: {
            active: boolean;
            detail: string;
            kind: string;
        };
        NodesInstall: {
            /** @description One line for a root shell on the server */
            command: string;
            /** @description Address of the panel as the agent dials it */
            url: string;
        };
        NodesIssuedToken: {
            auto_tags: string[];
            bind_node_id: string | null;
            /** Format: date-time */
            created_at: string;
            created_by: string;
            /** Format: date-time */
            expires_at: string;
            /** Format: uuid */
            id: string;
            install: components["schemas"]["NodesInstall"];
            /** @enum {string} */
            kind: "one_off" | "reusable";
            label: string;
            /** Format: date-time */
            last_used_at: string | null;
            /** Format: date-time */
            revoked_at: string | null;
            /** @enum {string} */
            state: "active" | "used_up" | "expired" | "revoked";
            /** @description Shown this once */
            token: string;
            /**
             * Format: int64
             * @description null = no limit
             */
            usage_limit: number | null;
            /** Format: int64 */
            used_count: number;
        };
        NodesListener: {
            /**
             * Format: int64
             * @description Bits per second to clients
             */
            down_bps: number | null;
            flow_id: string;
            ip: string;
            /** @enum {string} */
            l4: "tcp" | "udp" | "both";
            /**
             * Format: date-time
             * @description When that was measured
             */
            observed_at: string | null;
            /** @description One port, or the first and the last of a range */
            ports: string;
            /**
             * Format: int64
             * @description Established connections of clients; null where nobody counts them
             */
            sessions: number | null;
            /** @description Of the inbound in the core's configuration */
            tag: string;
            /**
             * Format: int64
             * @description From clients; null: not measured. A stream that the kernel forwards counts at its end
             */
            up_bps: number | null;
        };
        NodesLogs: {
            agent: string[];
            core: string[];
        };
        NodesLogsInputBody: {
            /**
             * Format: int64
             * @default 200
             */
            lines?: number;
        };
        NodesMaintenanceBody: {
            /** @description true begins, false ends the maintenance */
            on: boolean;
            reason?: string;
            /**
             * Format: date-time
             * @description Ends by itself then
             */
            until?: string;
        };
        NodesMetrics: {
            /** Format: int64 */
            conntrack_count: number;
            /** Format: int64 */
            conntrack_max: number;
            /** Format: double */
            cpu_pct: number;
            /** Format: int64 */
            disk_total: number;
            /** Format: int64 */
            disk_used: number;
            /** Format: double */
            listen_drops_ps: number;
            /** Format: double */
            load1: number;
            /** Format: int64 */
            mem_total: number;
            /** Format: int64 */
            mem_used: number;
            /** Format: double */
            net_rx_bps: number;
            /** Format: double */
            net_tx_bps: number;
            /** Format: date-time */
            observed_at: string;
            /** Format: double */
            rx_pps: number;
            /**
             * Format: int64
             * @description Open sessions of the core's listeners; null where the agent does not count them
             */
            sessions: number | null;
            /** Format: double */
            syncookies_ps: number;
            /**
             * Format: int64
             * @description Established TCP connections of the whole host, whatever they belong to
             */
            tcp_established: number;
            /** Format: int64 */
            uptime_s: number;
        };
        NodesNode: {
            /** @description Host name or IP address that clients and other nodes dial; never the node's identity */
            address: string;
            agent: components["schemas"]["NodesAgentInfo"];
            city: string;
            core: components["schemas"]["NodesCoreInfo"];
            /** @description ISO 3166 code, XX when unknown */
            country_code: string;
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            ips: components["schemas"]["NodesNodeIP"][];
            maintenance: components["schemas"]["NodesWindow"];
            /** @description Latest sample; null before the first */
            metrics: components["schemas"]["NodesMetrics"];
            name: string;
            note: string;
            /** @description Whoever hosts the server, in the operator's words; null: unknown */
            provider_id: string | null;
            /** @description What the host calls the server */
            provider_server_ref: string;
            /** @description Why the node is not simply online: agent_stale, agent_lost, agent_revoked, core_failed, core_stopped, config_behind, cloned, never_enrolled, panel_address */
            reasons: string[];
            region: string;
            /** Format: int64 */
            revision: number;
            roles: string[];
            /** @enum {string} */
            state: "pending" | "online" | "degraded" | "offline" | "maintenance" | "disabled";
            /**
             * Format: date-time
             * @description When it came into this state, to about a second
             */
            state_since: string;
            tags: string[];
            /** Format: date-time */
            updated_at: string;
        };
        NodesNodeIP: {
            /**
             * Format: int64
             * @enum {integer}
             */
            family: 4 | 6;
            ip: string;
            /** @enum {string} */
            role: "inbound" | "outbound" | "management" | "transit" | "monitoring" | "reserve" | "blocked" | "flagged";
        };
        NodesNodePage: {
            items: components["schemas"]["NodesNode"][];
            /** @description Pass as cursor to read on; null on the last page */
            next_cursor: string | null;
            /** Format: int64 */
            total: number;
        };
        NodesOperation: {
            /** @description How it ended, in one word */
            code: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            ended_at: string | null;
            error: string;
            /** Format: uuid */
            id: string;
            kind: string;
            /** @description Of collect_logs, for callers with nodes.edit: lines of a log may hold what is confidential */
            logs?: components["schemas"]["NodesLogs"];
            /** Format: uuid */
            node_id: string;
            /** Format: int64 */
            progress: number;
            started_by: string;
            /** @enum {string} */
            state: "queued" | "running" | "succeeded" | "failed" | "cancelled";
        };
        NodesPatchBody: {
            address?: string;
            city?: string;
            country_code?: string;
            /** @description A disabled node keeps serving and is left out of everything new */
            disabled?: boolean;
            ips?: components["schemas"]["NodesNodeIP"][];
            name?: string;
            note?: string;
            /** @description Whoever hosts the server, in your own words; empty: unknown */
            provider_id?: string;
            /** @description What the host calls the server */
            provider_server_ref?: string;
            region?: string;
            /**
             * Format: int64
             * @description Revision that the change starts from; or send it as If-Match
             */
            revision?: number;
            roles?: ("entry" | "transit" | "exit" | "edge")[];
            tags?: string[];
            /** @description What its hoster allows it to carry */
            traffic?: components["schemas"]["NodesTrafficBody"];
        };
        NodesPoint: {
            /** Format: date-time */
            at: string;
            /** Format: double */
            value: number;
        };
        NodesProbeResultsInputBody: {
            results?: components["schemas"]["AgentapiCommandResult"][];
        } & {
            [key: string]: unknown;
        };
        NodesSeries: {
            metric: string;
            /** @description Oldest first; times without data have no point */
            points: components["schemas"]["NodesPoint"][];
            /**
             * Format: int64
             * @description Distance of two points: 15, 60 or 600, or a multiple
             */
            step_seconds: number;
        };
        NodesSocket: {
            ip: string;
            l4: string;
            own: boolean;
            /** Format: int64 */
            port: number;
            process: string;
        };
        NodesTokenInputBody: {
            auto_tags?: string[];
            /**
             * Format: uuid
             * @description The agent becomes that of this node
             */
            bind_node_id?: string;
            /**
             * Format: int64
             * @default 86400
             */
            expires_in_seconds?: number;
            /**
             * @default one_off
             * @enum {string}
             */
            kind?: "one_off" | "reusable";
            label?: string;
            /**
             * Format: int64
             * @description Of a reusable token; absent: no limit
             */
            usage_limit?: number;
        };
        NodesTraffic: {
            /**
             * Format: int64
             * @description Of both directions together; null: as much as it likes
             */
            limit_bytes: number | null;
            /**
             * Format: int64
             * @description From which part of the limit on people are told
             */
            notify_pct: number;
            /**
             * Format: int64
             * @description Day on which the month begins, at midnight UTC; a shorter month begins on its last day
             */
            reset_day: number;
            /** Format: date-time */
            resets_at: string;
            /**
             * Format: date-time
             * @description When the count began; null: nothing was counted yet
             */
            since: string | null;
            /**
             * Format: int64
             * @description Both: each byte that the core carried, counted once
             */
            used_bytes: number;
            /**
             * Format: int64
             * @description Bytes to them
             */
            used_down: number;
            /**
             * Format: int64
             * @description Bytes from clients and nodes that enter here
             */
            used_up: number;
        };
        NodesTrafficBody: {
            /**
             * Format: int64
             * @description In a month, of both directions together; 0: as much as it likes
             */
            limit_bytes?: number;
            /**
             * Format: int64
             * @description From which part of the limit on people are told
             */
            notify_pct?: number;
            /**
             * Format: int64
             * @description Day on which the month begins, at midnight UTC
             */
            reset_day?: number;
        };
        NodesWindow: {
            reason: string;
            /** Format: date-time */
            until: string | null;
        };
        NotificationsChannel: {
            /** Format: date-time */
            created_at: string;
            email?: components["schemas"]["NotificationsShownEmail"];
            enabled: boolean;
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "webhook" | "email";
            /** @description Absent: there was none */
            last_delivery?: components["schemas"]["NotificationsLastDelivery"];
            name: string;
            /** Format: int64 */
            revision: number;
            /** Format: date-time */
            updated_at: string;
            webhook?: components["schemas"]["NotificationsShownWebhook"];
        };
        NotificationsChannelChange: {
            email?: components["schemas"]["NotificationsEmailTarget"];
            enabled?: boolean;
            name?: string;
            /**
             * Format: int64
             * @description Revision that the change starts from; or send it as If-Match
             */
            revision?: number;
            webhook?: components["schemas"]["NotificationsWebhookTarget"];
        };
        NotificationsChannelPage: {
            items: components["schemas"]["NotificationsChannel"][];
            /** @description Pass as cursor to read on; null on the last page */
            next_cursor: string | null;
            /** Format: int64 */
            total: number;
        };
        NotificationsDelivery: {
            /**
             * Format: uuid
             * @description The delivery whose message this one answers
             */
            answers: string | null;
            /** Format: int64 */
            attempts: number;
            /** @description messenger, or the id of a channel */
            channel: string;
            channel_name: string;
            /**
             * Format: int64
             * @description Events that the message stands for
             */
            count: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            finished_at: string | null;
            /** Format: uuid */
            id: string;
            /** @description Kind of the event */
            kind: string;
            /**
             * Format: date-time
             * @description While queued: when it is sent at the earliest
             */
            not_before: string;
            /** @description Why the last attempt failed, or why nothing was sent; absent: neither */
            reason?: components["schemas"]["NotificationsReason"];
            /** @enum {string} */
            severity: "info" | "warning" | "critical";
            /**
             * @description folded: it became part of another message; superseded: it was over before it was sent
             * @enum {string}
             */
            state: "queued" | "sending" | "sent" | "failed" | "folded" | "superseded" | "cancelled";
            subject_id: string;
            subject_name: string;
            subject_type: string;
        };
        NotificationsDeliveryPage: {
            items: components["schemas"]["NotificationsDelivery"][];
            /** @description Pass as cursor to read on; null on the last page */
            next_cursor: string | null;
            /** Format: int64 */
            total: number;
        };
        NotificationsEmailTarget: {
            /** @description Certificate authority of the server in PEM */
            ca?: string;
            from?: string;
            host?: string;
            /** @description Write-only */
            password?: string;
            /** Format: int64 */
            port?: number;
            /**
             * @description How the way to the server is encrypted
             * @enum {string}
             */
            security?: "starttls" | "tls";
            to?: string[];
            /** @description Empty: without signing in */
            username?: string;
        };
        NotificationsEventKind: {
            en: components["schemas"]["NotificationsEventWords"];
            /** @description What a rule names for all of them, node.* */
            family: string;
            kind: string;
            /** @description Kinds whose messages it answers */
            resolves: string[];
            ru: components["schemas"]["NotificationsEventWords"];
            /** @enum {string} */
            severity: "info" | "warning" | "critical";
        };
        NotificationsEventList: {
            items: components["schemas"]["NotificationsEventKind"][];
        };
        NotificationsEventWords: {
            effect: string;
            summary: string;
        };
        NotificationsLastDelivery: {
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            finished_at: string | null;
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            state: "queued" | "sending" | "sent" | "failed" | "folded" | "superseded" | "cancelled";
        };
        NotificationsMessenger: {
            /** @description Absent: the stored one stays; empty: it is removed */
            bot_token?: string;
            /** @description Number of the chat, or @name of a channel */
            chat_id: string;
            /** @description http, https or socks5 address of a proxy for the messenger alone; it may hold a password and is never shown */
            proxy?: string;
            /**
             * Format: int64
             * @description Topic of the chat; 0: none
             */
            thread_id: number;
        };
        NotificationsMessengerTest: {
            /** @description Number of the message in the chat */
            message_id: string;
            sent: boolean;
        };
        NotificationsNewChannel: {
            /** @description Required for the kind email */
            email?: components["schemas"]["NotificationsEmailTarget"];
            /** @description Absent: it is */
            enabled?: boolean;
            /** @enum {string} */
            kind: "webhook" | "email";
            name: string;
            /** @description Required for the kind webhook */
            webhook?: components["schemas"]["NotificationsWebhookTarget"];
        };
        NotificationsNewRule: {
            /** @description messenger and ids of channels */
            channels: string[];
            /**
             * Format: int64
             * @description Absent: 300
             */
            cooldown_s?: number;
            /** @description Absent: it is */
            enabled?: boolean;
            /** @description A kind, a family as node.*, or * for all */
            event: string;
            /**
             * @default subject
             * @enum {string}
             */
            group_by?: "subject" | "kind";
            /**
             * @default info
             * @enum {string}
             */
            min_severity?: "info" | "warning" | "critical";
            name: string;
        };
        NotificationsQuiet: {
            enabled: boolean;
            /** @description 22:00 */
            from: string;
            /** @description 07:00 */
            to: string;
            /** @description Time zone of the IANA list; messages show their times in it, too */
            zone: string;
        };
        NotificationsReason: {
            /** @description Stable; empty for a delivery of an earlier version, which has words alone */
            code: string;
            /** @description What the receiver said by itself, such as its status */
            detail: string;
            en: string;
            ru: string;
        };
        NotificationsRule: {
            /** @description messenger and ids of channels */
            channels: string[];
            /**
             * Format: int64
             * @description What comes again sooner is gathered into one message
             */
            cooldown_s: number;
            /** Format: date-time */
            created_at: string;
            enabled: boolean;
            /** @description A kind, a family as node.*, or * for all */
            event: string;
            /**
             * @description What counts as the same: the kind and its subject, or the kind alone
             * @enum {string}
             */
            group_by: "subject" | "kind";
            /** Format: uuid */
            id: string;
            /** @description false: no module of this build has such a kind, and the rule sends nothing */
            known: boolean;
            /** @enum {string} */
            min_severity: "info" | "warning" | "critical";
            name: string;
            /** Format: int64 */
            revision: number;
            /** Format: date-time */
            updated_at: string;
        };
        NotificationsRuleChange: {
            channels?: string[];
            /** Format: int64 */
            cooldown_s?: number;
            enabled?: boolean;
            event?: string;
            /** @enum {string} */
            group_by?: "subject" | "kind";
            /** @enum {string} */
            min_severity?: "info" | "warning" | "critical";
            name?: string;
            /**
             * Format: int64
             * @description Revision that the change starts from; or send it as If-Match
             */
            revision?: number;
        };
        NotificationsRulePage: {
            items: components["schemas"]["NotificationsRule"][];
            /** @description Pass as cursor to read on; null on the last page */
            next_cursor: string | null;
            /** Format: int64 */
            total: number;
        };
        NotificationsSettings: {
            /**
             * @description Language of messages
             * @enum {string}
             */
            language: "en" | "ru";
            messenger: components["schemas"]["NotificationsMessenger"];
            /** @description Address of the bot API; absent: what PANEL_MESSENGER_API_ROOT says */
            messenger_api_root?: string;
            quiet_hours: components["schemas"]["NotificationsQuiet"];
        };
        NotificationsSettingsChange: {
            /**
             * Format: int64
             * @description Revision that the change starts from; or send it as If-Match
             */
            revision?: number;
            settings: components["schemas"]["NotificationsSettings"];
        };
        NotificationsShownEmail: {
            /** @description Certificate authority of the server in PEM; empty: those of the system */
            ca: string;
            from: string;
            has_password: boolean;
            host: string;
            /** Format: int64 */
            port: number;
            /** @enum {string} */
            security: "starttls" | "tls";
            to: string[];
            username: string;
        };
        NotificationsShownMessenger: {
            chat_id: string;
            has_bot_token: boolean;
            has_proxy: boolean;
            /** Format: int64 */
            thread_id: number;
        };
        NotificationsShownSettings: {
            /** @enum {string} */
            language: "en" | "ru";
            messenger: components["schemas"]["NotificationsShownMessenger"];
            messenger_api_root: string;
            quiet_hours: components["schemas"]["NotificationsQuiet"];
        };
        NotificationsShownSettingsDocument: {
            /**
             * Format: int64
             * @description Send it back with a change; 0: nothing was stored yet
             */
            revision: number;
            settings: components["schemas"]["NotificationsShownSettings"];
            /** @description false: the defaults hold */
            stored: boolean;
            /**
             * Format: date-time
             * @description When it was stored last; null: never
             */
            updated_at: string | null;
            /** @description Fields whose default is a variable, and which of both holds */
            variables?: components["schemas"]["SettingsVariable"][];
        };
        NotificationsShownWebhook: {
            has_secret: boolean;
            /** @description Host of the address; the rest of it is never shown */
            host: string;
        };
        NotificationsWebhookTarget: {
            /** @description Key of the signature; write-only */
            secret?: string;
            /** @description Public http or https address; write-only */
            url?: string;
        };
        OperationsAbout: {
            id: string;
            name: string;
            type: string;
        };
        OperationsOperation: {
            about: components["schemas"]["OperationsAbout"];
            /** Format: date-time */
            created_at: string;
            /** @description Why it failed, or why its last attempt did; empty without a failure */
            error: string;
            /** Format: date-time */
            finished_at: string | null;
            id: string;
            /** @example backups.run */
            kind: string;
            /**
             * Format: int64
             * @description Percent
             */
            progress: number;
            started_by: string;
            /** @enum {string} */
            state: "queued" | "running" | "succeeded" | "failed" | "cancelled";
        };
        OperationsOperationPage: {
            items: components["schemas"]["OperationsOperation"][];
            /** @description Pass as cursor to read on; null on the last page */
            next_cursor: string | null;
            /** Format: int64 */
            total: number;
        };
        PastFlow: {
            /** @description The last apply before the moment */
            apply_id: string | null;
            by: string;
            /**
             * Format: int64
             * @description Checks that were bypassed
             */
            bypassed: number;
            /** Format: uuid */
            id: string;
            name: string;
            /** Format: date-time */
            since: string | null;
            /** @enum {string} */
            state: "applied" | "applying" | "apply_failed" | "disabled";
            /**
             * Format: int64
             * @description What its nodes served; null: nothing yet, or a version that is kept no longer
             */
            version_number: number | null;
        };
        PastInstalled: {
            /** Format: date-time */
            at: string;
            /**
             * Format: date-time
             * @description The newest end of an apply more than a minute before; null without one
             */
            earlier: string | null;
            /** @description The first 500 of them by name */
            items: components["schemas"]["PastFlow"][];
            /**
             * Format: date-time
             * @description The first end of an apply after; null without one
             */
            later: string | null;
            /**
             * Format: int64
             * @description Flows that had been installed, or were tried to be
             */
            total: number;
        };
        PlanChange: {
            field?: string;
            from?: string;
            /** @description What from says, field by field */
            from_fields?: {
                [key: string]: string;
            };
            name: string;
            node_id: string;
            /** @enum {string} */
            op: "added" | "changed" | "removed";
            /** @description Stage of a module that makes the change; empty for the nodes' own part */
            stage?: string;
            to?: string;
            /** @description What to says, field by field */
            to_fields?: {
                [key: string]: string;
            };
        };
        PlanCheck: {
            /** @description No force passes it as it is now */
            blocks: boolean;
            evidence: string;
            /** @description The evidence with its code */
            finding: components["schemas"]["PlanText"];
            /** @description It is not confirmed, and force_apply passes it */
            forceable: boolean;
            /** @enum {string} */
            group: "listeners" | "firewall" | "target" | "stages";
            key: string;
            node_id: string;
            node_name: string;
            /** Format: date-time */
            observed_at: string | null;
            /** @description Stage of a module that asks; empty for the panel's own checks */
            stage?: string;
            /** @enum {string} */
            status: "confirmed" | "unconfirmed" | "failed";
            summary: string;
        };
        PlanConflict: {
            /** @description Host name that both want */
            host?: string;
            /** @enum {string} */
            kind: "port" | "sni_path" | "domain" | "dns_record";
            /** @enum {string} */
            l4: "tcp" | "udp";
            node_id: string;
            /** @description Field of the drawing that asks for it */
            path: string;
            /** Format: int64 */
            port: number;
            with: components["schemas"]["PlanConflictWith"];
        };
        PlanConflictWith: {
            flow_id?: string;
            listener?: string;
            process?: string;
        };
        PlanDiff: {
            cdn: components["schemas"]["PlanChange"][];
            clients: components["schemas"]["PlanChange"][];
            dns: components["schemas"]["PlanChange"][];
            firewall: components["schemas"]["PlanChange"][];
            listeners: components["schemas"]["PlanChange"][];
            /** @description Of modules that have no group of their own */
            other: components["schemas"]["PlanChange"][];
            proxypanel: components["schemas"]["PlanChange"][];
            routes: components["schemas"]["PlanChange"][];
        };
        PlanObstacle: {
            /** @enum {string} */
            code: "agent_offline" | "capability_missing" | "port_conflict" | "domain_conflict" | "record_conflict" | "target_private" | "target_suitability_stale" | "stage_blocked";
            finding: components["schemas"]["PlanText"];
            node_id: string;
            node_name: string;
            /** @description Field of the drawing that it is about */
            path?: string;
        };
        PlanPlan: {
            /** @description Nodes are being asked about readiness at this moment */
            checking: boolean;
            compiler_version: string;
            conflicts: components["schemas"]["PlanConflict"][];
            /** Format: date-time */
            created_at: string;
            created_by: string;
            diff: components["schemas"]["PlanDiff"];
            errors: components["schemas"]["GraphProblem"][];
            /** Format: date-time */
            expires_at: string;
            flow_id: string;
            hash: string;
            /** @description Empty in a preview */
            id: string;
            /** @description Installing it would change nothing */
            is_noop: boolean;
            /** @description What keeps the plan from being applied, also with force */
            obstacles: components["schemas"]["PlanObstacle"][];
            readiness: components["schemas"]["PlanCheck"][];
            /** @description Node id to SHA-256 of its whole configuration */
            rendered: {
                [key: string]: string;
            };
            /**
             * Format: int64
             * @description Draft revision it was compiled from
             */
            revision: number;
            /** @description Listeners of other flows that have the same port */
            sharing: components["schemas"]["PlanShare"][];
            /** @enum {string} */
            state: "preview" | "ready" | "applied" | "stale" | "expired";
            steps: components["schemas"]["PlanStep"][];
            warnings: components["schemas"]["GraphProblem"][];
        };
        PlanShare: {
            /** @description Entry of this flow */
            block: string;
            /**
             * @description What tells the two apart
             * @enum {string}
             */
            by: "host" | "path";
            /** @description Host name of the other one */
            host: string;
            node_id: string;
            /** Format: int64 */
            port: number;
            with: components["schemas"]["PlanConflictWith"];
        };
        PlanStep: {
            /** @enum {string} */
            action: "configure" | "remove";
            detail: string;
            /** @enum {string} */
            detail_code: "adds" | "changes" | "leaves" | "restores";
            /** @enum {string} */
            interruption: "none" | "reload" | "restart";
            node_id: string;
            node_name: string;
            /** Format: int64 */
            order: number;
            /** @enum {string} */
            role: "exit" | "transit" | "entry" | "none";
        };
        PlanText: {
            code: string;
            params?: {
                [key: string]: string;
            };
            /** @description The same in English */
            text: string;
        };
        ProviderField: {
            choices: string[];
            default: string;
            /** @enum {string} */
            form: "text" | "secret" | "address" | "list" | "choice" | "key";
            /** @description What to enter, in English; the screen has its own words by the field's name */
            help: string;
            name: string;
            required: boolean;
        };
        RecordsAnswer: {
            /** @enum {string} */
            answer: "same" | "different" | "alias" | "empty" | "silent" | "refused";
            /** @description It holds the zone itself; otherwise it is a public resolver */
            authoritative: boolean;
            server: string;
            values: string[];
        };
        RecordsConflict: {
            name: string;
            type: string;
            value: string;
        };
        RecordsDetail: {
            /** Format: date-time */
            checked_at: string | null;
            /** @description Records of somebody else at the name, which the panel does not touch */
            conflicts: components["schemas"]["RecordsConflict"][];
            /** Format: uuid */
            domain_id: string;
            hostname: string;
            /** Format: uuid */
            integration_id: string | null;
            /** @description Why the records could not be written */
            last_error: string;
            /** @description An integration holds the zone: the panel writes the records */
            managed: boolean;
            /** Format: date-time */
            next_check_at: string;
            resolved_ips: string[];
            /** @description What each name server answered at the last look */
            seen: components["schemas"]["RecordsAnswer"][];
            /**
             * Format: date-time
             * @description Since when the state holds
             */
            since: string;
            /** @enum {string} */
            state: "pending" | "propagating" | "ok" | "mismatch" | "error";
            wanted: components["schemas"]["RecordsWanted"][];
        };
        RecordsWanted: {
            name: string;
            /**
             * @description found: it stood there already and is left when the binding goes
             * @enum {string}
             */
            state: "missing" | "written" | "found" | "conflict";
            /**
             * Format: int64
             * @description Seconds
             */
            ttl: number;
            /** @enum {string} */
            type: "A" | "AAAA" | "CNAME";
            value: string;
        };
        RestoredNode: {
            /** Format: date-time */
            enrolled_at: string | null;
            id: string;
            name: string;
        };
        RestoredOutcome: {
            /** @description Name of the backup that was restored */
            artefact: string;
            /**
             * Format: int64
             * @description Number of the journal's last entry in the backup
             */
            continued_after: number;
            /** @description Servers that were enrolled after the backup: enrol them again */
            enrolled_since: components["schemas"]["RestoredNode"][];
            /** @description The license is a newer one than that of the backup */
            license_kept: boolean;
            /**
             * Format: int64
             * @description Servers whose agents hold something else; they get what the backup says
             */
            raised: number;
            /** @description Name of the copy of the database before; empty when there is none */
            snapshot: string;
        };
        RetentionRules: {
            /** Format: int64 */
            keep_days?: number;
            /** Format: int64 */
            keep_last?: number;
            /** Format: int64 */
            max_bytes?: number;
        };
        SelfupdateApplyInputBody: {
            /** @description The version that was offered */
            version: string;
        };
        SelfupdateCheck: {
            /** @description What to do when it does not hold */
            action: string;
            finding: string;
            /** @enum {string} */
            id: "installer" | "version" | "platform" | "disk" | "database";
            ok: boolean;
        };
        SelfupdateOffer: {
            /** @description Something must be done by hand; the notes say what */
            breaking: boolean;
            channel: string;
            /** @description Oldest agent that it talks to; empty: any */
            min_agent: string;
            /** @description Oldest panel that may install it; empty: any */
            min_panel: string;
            notes: string;
            /** Format: date-time */
            released_at: string;
            /**
             * Format: int64
             * @description Bytes that are fetched
             */
            size: number;
            version: string;
        };
        SelfupdateRollback: {
            possible: boolean;
            /**
             * @description Why it is not possible
             * @enum {string}
             */
            reason: "" | "none_kept" | "expired" | "run_active" | "no_installer";
            /** @description The database comes back as it was at taken_at; what was written since is lost */
            restores_database: boolean;
            /** Format: date-time */
            taken_at: string | null;
            /**
             * Format: date-time
             * @description Until when it can come back; the kept set is removed by the next run after it
             */
            until: string | null;
            /** @description The release that would come back; empty when none is kept */
            version: string;
        };
        SelfupdateRun: {
            by: string;
            /** Format: date-time */
            finished_at: string | null;
            from: string;
            id: string;
            /** @enum {string} */
            kind: "update" | "rollback";
            /** @description Why it returned or failed */
            reason: string;
            /** Format: date-time */
            started_at: string;
            /**
             * @description done: the wanted version runs; returned: the one before runs again; failed: nothing was changed, or an operator is needed
             * @enum {string}
             */
            state: "requested" | "fetching" | "stopping" | "saving" | "replacing" | "starting" | "checking" | "returning" | "done" | "returned" | "failed";
            to: string;
        };
        SelfupdateSettings: {
            /**
             * @description dev: also releases that are tried out; absent: what PANEL_UPDATE_CHANNEL says
             * @enum {string}
             */
            channel?: "stable" | "dev";
            /** @description Check for newer releases four times a day */
            check: boolean;
        };
        SelfupdateSettingsChange: {
            /**
             * Format: int64
             * @description Revision that the change starts from; or send it as If-Match
             */
            revision?: number;
            settings: components["schemas"]["SelfupdateSettings"];
        };
        SelfupdateShownSettings: {
            /**
             * @description dev: also releases that are tried out
             * @enum {string}
             */
            channel: "stable" | "dev";
            /** @description Check for newer releases four times a day */
            check: boolean;
        };
        SelfupdateShownSettingsDocument: {
            /**
             * Format: int64
             * @description Send it back with a change; 0: nothing was stored yet
             */
            revision: number;
            settings: components["schemas"]["SelfupdateShownSettings"];
            /** @description false: the defaults hold */
            stored: boolean;
            /**
             * Format: date-time
             * @description When it was stored last; null: never
             */
            updated_at: string | null;
            /** @description Fields whose default is a variable, and which of both holds */
            variables?: components["schemas"]["SettingsVariable"][];
        };
        SelfupdateView: {
            /** @description The newer release; null when there is none */
            available: components["schemas"]["SelfupdateOffer"];
            /** @enum {string} */
            channel: "stable" | "dev";
            /**
             * @description Why the last check failed; empty when it did not
             * @enum {string}
             */
            check_error: "" | "unreachable" | "untrusted" | "unusable";
            /**
             * Format: date-time
             * @description When a newer release was last checked for
             */
            checked_at: string | null;
            /** @description What must hold before the newer release may be installed; empty without one */
            checks: components["schemas"]["SelfupdateCheck"][];
            /** @description Address and key of the releases are set */
            configured: boolean;
            /** @description Version of the running panel */
            current: string;
            /** @description Ended runs, newest first, at most 20 */
            history: components["schemas"]["SelfupdateRun"][];
            /** @description This installation can replace itself; false: updates are installed by hand */
            installer: boolean;
            rollback: components["schemas"]["SelfupdateRollback"];
            /** @description The run that goes on; null when none does */
            run: components["schemas"]["SelfupdateRun"];
        };
        SettingsVariable: {
            /** @description Field of the settings */
            field: string;
            /** @description The operator set the variable */
            given: boolean;
            /** @description true: the variable holds; false: what is stored in the settings */
            holds: boolean;
            /** @description What the variable says; its default where it is not set */
            value: string;
            /** @description Variable of the panel's environment */
            variable: string;
        };
        SetupAdminInputBody: {
            password: string;
            setup_token?: string;
            username: string;
        };
        SetupCheck: {
            /** @enum {string} */
            id: "database" | "secret_key" | "public_url" | "clock";
            ok: boolean;
        };
        SetupFinishOutputBody: {
            finished: boolean;
        };
        SetupStateOutputBody: {
            administrator: boolean;
            checks: components["schemas"]["SetupCheck"][];
            finished: boolean;
            /** Format: date-time */
            server_time: string;
            setup_token_required: boolean;
        };
        StagesRecord: {
            /**
             * Format: date-time
             * @description When it is called again; null when nothing is waited for
             */
            again_at: string | null;
            /** @enum {string} */
            at: "before_prepare" | "before_switch" | "after_commit";
            /**
             * Format: int64
             * @description Calls up to now
             */
            attempts: number;
            detail: components["schemas"]["FlowsapiText"];
            /** @description What the last call failed with; empty when it did not */
            error: string;
            /** Format: date-time */
            finished_at: string | null;
            name: string;
            /** @description Group of differences that it makes */
            part?: string;
            /** Format: date-time */
            started_at: string | null;
            /** @enum {string} */
            state: "pending" | "running" | "waiting" | "done" | "skipped" | "failed" | "undoing" | "undone" | "undo_failed" | "superseded";
            /** @description What undoing it failed with the last time */
            undo_error: string;
            /**
             * Format: date-time
             * @description When undoing it began
             */
            undone_from: string | null;
        };
        SubscriptionsSettings: {
            /** @description News that programs and the page show */
            announcement: string;
            /**
             * Format: int64
             * @description After how many hours programs ask again
             */
            interval_hours: number;
            /** @description Where clients find help: https://, mailto: or tg:; empty: nowhere */
            support: string;
            /** @description Name of the subscription in programs; empty: the name of the flow */
            title: string;
        };
        SubscriptionsSettingsChange: {
            /**
             * Format: int64
             * @description Revision that the change starts from; or send it as If-Match
             */
            revision?: number;
            settings: components["schemas"]["SubscriptionsSettings"];
        };
        SubscriptionsSettingsDocument: {
            /**
             * Format: int64
             * @description Send it back with a change; 0: nothing was stored yet
             */
            revision: number;
            settings: components["schemas"]["SubscriptionsSettings"];
            /** @description false: the defaults hold */
            stored: boolean;
            /**
             * Format: date-time
             * @description When it was stored last; null: never
             */
            updated_at: string | null;
            /** @description Fields whose default is a variable, and which of both holds */
            variables?: components["schemas"]["SettingsVariable"][];
        };
        SupportFile: {
            /** Format: int64 */
            bytes: number;
            masked?: {
                [key: string]: number;
            };
            name: string;
            source?: string;
        };
        SupportManifest: {
            /** Format: int64 */
            bytes: number;
            /** Format: date-time */
            created_at: string;
            files: components["schemas"]["SupportFile"][];
            host: string;
            masked: {
                [key: string]: number;
            };
            missing: components["schemas"]["SupportMissing"][];
            schema: string;
            /** Format: date-time */
            since: string;
            version: string;
        };
        SupportMissing: {
            name: string;
            /** @description The texts in other languages, by the code of the language */
            translations: {
                [key: string]: components["schemas"]["SupportMissingWords"];
            };
            why: string;
        };
        SupportMissingWords: {
            why: string;
        };
        SystemHealthDocument: {
            /** @enum {string} */
            status: "ok" | "unavailable";
            /** Format: date-time */
            timestamp: string;
            version: string;
        };
        SystemJournalRules: {
            /**
             * Format: int64
             * @description 0: for ever
             */
            days: number;
            given: boolean;
            variable: string;
        };
        SystemMasterKey: {
            /** @description An earlier key is still set */
            previous_given: boolean;
            /**
             * Format: int64
             * @description Secrets that the current key did not seal; counted while an earlier key is set
             */
            previous_secrets: number;
            previous_variable: string;
            /** @description The key opens the sample that is sealed in the database */
            readable: boolean;
            /**
             * @description file: made by the panel and kept in secret.key of the data folder
             * @enum {string}
             */
            source: "environment" | "file";
            variable: string;
        };
        SystemPasswordCost: {
            /** @example argon2id */
            algorithm: string;
            /** Format: int64 */
            iterations: number;
            /** Format: int64 */
            lanes: number;
            /** Format: int64 */
            memory_kib: number;
        };
        SystemPublicAddress: {
            /** @description The operator set the variable */
            given: boolean;
            https: boolean;
            /** @description Scheme and host; empty where it is not set */
            origin: string;
            variable: string;
        };
        SystemSecurityOutputBody: {
            journal: components["schemas"]["SystemJournalRules"];
            master_key: components["schemas"]["SystemMasterKey"];
            password: components["schemas"]["SystemPasswordCost"];
            public_url: components["schemas"]["SystemPublicAddress"];
            session: components["schemas"]["SystemSessionRules"];
            sign_in: components["schemas"]["SystemSignInRules"];
            trusted_proxies: components["schemas"]["SystemTrustedProxies"];
        };
        SystemSessionRules: {
            /** Format: int64 */
            absolute_seconds: number;
            given: boolean;
            /** Format: int64 */
            idle_seconds: number;
            /** @description Sets idle_seconds */
            variable: string;
        };
        SystemSignInRules: {
            /**
             * Format: int64
             * @description The same for all accounts from one address
             */
            free_address_failures: number;
            /**
             * Format: int64
             * @description Wrong passwords for one account from one address before it must wait
             */
            free_failures: number;
            /** Format: int64 */
            longest_delay_seconds: number;
        };
        SystemStatusOutputBody: {
            /** @enum {string} */
            database: "connected" | "unavailable";
            setup_done: boolean;
            /** @enum {string} */
            status: "running" | "starting" | "stopping" | "database_unavailable" | "restoring";
            /** @description Duration text, 12d4h31m */
            uptime: string;
            /** Format: int64 */
            uptime_seconds: number;
            version: string;
        };
        SystemTrustedProxies: {
            given: boolean;
            /** @description This request came through a proxy that is not trusted, so its address stands for every browser */
            ignored: boolean;
            list: string[];
            variable: string;
        };
        TargetsCertificate: {
            chain_valid: boolean;
            issuer: string;
            name_valid: boolean;
            /** Format: date-time */
            not_after: string;
            sans: string[];
            subject: string;
        };
        TargetsLimits: {
            /**
             * Format: int64
             * @description Targets tried at once; 16 when left out
             */
            concurrency?: number;
            /**
             * Format: int64
             * @description Longest time for one target; 10 when left out
             */
            timeout_s?: number;
        };
        TargetsNewCheck: {
            /** Format: uuid */
            node_id: string;
            /** @description Name to ask for, where the target is an address or another name */
            sni?: string;
            /** @description host or host:port */
            target: string;
        };
        TargetsNewSearch: {
            /** @description Of host_list, host or host:port each; of cidr, networks. At most 512 targets come out of them */
            inputs?: string[];
            limits?: components["schemas"]["TargetsLimits"];
            /**
             * @description host_list: inputs are hosts; cidr: networks of at most 256 addresses; neighbours: the /24 of the node's own address; own_domain: host names that the panel has bound to nodes
             * @enum {string}
             */
            mode: "host_list" | "cidr" | "neighbours" | "own_domain";
            /**
             * Format: uuid
             * @description Node whose agent tries the targets; what it finds counts for this node alone
             */
            node_id: string;
            /**
             * Format: int64
             * @description Where an input names none; 443 when left out
             */
            port?: number;
        };
        TargetsResult: {
            alpn: string;
            /** @description Network that it stands behind, where it is known */
            cdn: string;
            cert: components["schemas"]["TargetsCertificate"];
            /** Format: date-time */
            checked_at: string;
            /** @description The name leads to the address */
            dns_matches_ip: boolean;
            /** @description A plan may use it now */
            fresh: boolean;
            /** @description Key exchange */
            group: string;
            h3: boolean;
            /**
             * Format: uuid
             * @description A draft names it as target_result_id
             */
            id: string;
            ip: string;
            is_cdn: boolean;
            /**
             * Format: double
             * @description Time to connect from the node
             */
            latency_ms: number | null;
            /** Format: uuid */
            node_id: string;
            /** @description The handshake carried a proof that the certificate is not revoked */
            ocsp: boolean;
            post_quantum: boolean;
            reasons: components["schemas"]["VerdictReason"][];
            /** @description Host that the first page leads to; empty: none */
            redirects_to: string;
            /** Format: int64 */
            score: number;
            /** Format: uuid */
            search_id: string;
            /** @description Name that was asked for; empty: none is known */
            sni: string;
            /** @enum {string} */
            suitability: "suitable" | "acceptable" | "unsuitable" | "unknown";
            /** @description host:port */
            target: string;
            tls_version: string;
            /** Format: date-time */
            valid_until: string;
        };
        TargetsResultPage: {
            items: components["schemas"]["TargetsResult"][];
            /** @description Pass as cursor to read on; null on the last page */
            next_cursor: string | null;
            /** Format: int64 */
            total: number;
        };
        TargetsSearch: {
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            ended_at: string | null;
            /**
             * Format: date-time
             * @description When it is removed with its results
             */
            expires_at: string;
            /**
             * Format: int64
             * @description Results that are suitable or acceptable
             */
            found: number;
            /** Format: uuid */
            id: string;
            limits: components["schemas"]["TargetsLimits"];
            /** @enum {string} */
            mode: "host_list" | "cidr" | "neighbours" | "own_domain" | "check";
            /** Format: uuid */
            node_id: string;
            node_name: string;
            /**
             * @description Why it failed
             * @enum {string}
             */
            reason?: "agent_silent" | "agent_restarted" | "agent_failed" | "results_lost";
            /**
             * Format: int64
             * @description Targets with a result
             */
            scanned: number;
            started_by: string;
            /** @enum {string} */
            state: "running" | "done" | "failed" | "cancelled";
            /**
             * Format: int64
             * @description Targets to try
             */
            total: number;
        };
        TargetsSearchPage: {
            items: components["schemas"]["TargetsSearch"][];
            /** @description Pass as cursor to read on; null on the last page */
            next_cursor: string | null;
            /** Format: int64 */
            total: number;
        };
        TrafficEdge: {
            /** Format: int64 */
            down_bps: number | null;
            from: string;
            /**
             * Format: int64
             * @description Place among the edges of the installed version, from 0
             */
            index: number;
            /** @description Where it is measured: the node of the block that it comes from */
            node_id: string;
            /** Format: date-time */
            observed_at: string | null;
            to: string;
            /**
             * Format: int64
             * @description A stream that the kernel forwards is counted when it ends
             */
            up_bps: number | null;
        };
        TrafficEntry: {
            block: string;
            /** Format: int64 */
            down_bps: number | null;
            node_id: string;
            /** Format: date-time */
            observed_at: string | null;
            /**
             * Format: int64
             * @description Established connections; null where nobody counts them, as with UDP
             */
            sessions: number | null;
            /**
             * Format: int64
             * @description A stream that the kernel forwards is counted when it ends
             */
            up_bps: number | null;
        };
        TrafficNodeSessions: {
            node_id: string;
            sessions: components["schemas"]["NodesapiPoint"][];
        };
        TrafficReplay: {
            /** Format: date-time */
            from: string;
            /** @description What it installs; empty where it takes the flow off its nodes */
            graph: components["schemas"]["GraphGraph"];
            /** @description Of the apply, without those whose agents did not count sessions */
            nodes: components["schemas"]["TrafficNodeSessions"][];
            /**
             * Format: int64
             * @description 15 within 6 hours, 60 within 48 hours, then 600
             */
            step_seconds: number;
            /** Format: date-time */
            to: string;
        };
        TrafficTraffic: {
            /** Format: date-time */
            at: string;
            /**
             * Format: int64
             * @description Bits per second to clients, over all entries
             */
            down_bps: number | null;
            /** @description Of the installed version, without those that end in a block */
            edges: components["schemas"]["TrafficEdge"][];
            entries: components["schemas"]["TrafficEntry"][];
            /**
             * Format: int64
             * @description Of all entries; null while nobody counts them
             */
            sessions: number | null;
            /**
             * Format: int64
             * @description Older readings say nothing about now; totals leave them out
             */
            stale_after_s: number;
            /**
             * Format: int64
             * @description Bits per second from clients, over all entries
             */
            up_bps: number | null;
        };
        UpdatesBuild: {
            breaking: boolean;
            channel: string;
            notes: string;
            platforms: string[];
            /** Format: date-time */
            released_at: string;
            version: string;
        };
        UpdatesNodeInputBody: {
            /** @description Go back to the panel's build also where the agent is newer */
            allow_older?: boolean;
            /** @description The version that was seen; another one on the panel refuses the start */
            version?: string;
        };
        UpdatesRing: {
            /** @description The first 20 of these nodes, in the order in which they go */
            members: components["schemas"]["UpdatesRingNode"][];
            /**
             * Format: int64
             * @description Nodes that are behind the build and belong to it now
             */
            nodes: number;
            /** Format: int64 */
            ring: number;
            /**
             * Format: int64
             * @description Number of nodes in ring 1, share of the fleet in percent up to the ring's end in the others
             */
            size: number;
            /** @enum {string} */
            unit: "nodes" | "percent";
        };
        UpdatesRingNode: {
            /** Format: uuid */
            id: string;
            name: string;
        };
        UpdatesRings: {
            /** @description Rollout through the rings that goes on; null when none does */
            active: components["schemas"]["UpdatesRollout"];
            /**
             * Format: int64
             * @description Agents older than the build
             */
            behind: number;
            /** @description Newest signed release that this panel has; null without one */
            build: components["schemas"]["UpdatesBuild"];
            /**
             * @description Why there is no build
             * @enum {string}
             */
            build_problem: "" | "no_key" | "no_manifest" | "untrusted" | "no_file" | "panel_too_old";
            /** @description Those of them that are still there, with their names */
            first: components["schemas"]["UpdatesRingNode"][];
            /** @description Nodes that go first, in this order */
            first_nodes: string[];
            /**
             * Format: int64
             * @description Nodes that are updated at the same time
             */
            parallel: number;
            /**
             * Format: int64
             * @description How long a ring is watched before the next begins
             */
            pause_seconds: number;
            /** Format: int64 */
            revision: number;
            rings: components["schemas"]["UpdatesRing"][];
            /** @description Versions of the agents, newest first */
            versions: components["schemas"]["UpdatesVersionCount"][];
        };
        UpdatesRingsInputBody: {
            /** @description Nodes that go first, in this order */
            first_nodes?: string[];
            /**
             * Format: int64
             * @description Nodes that are updated at the same time
             */
            parallel: number;
            /**
             * Format: int64
             * @description How long a ring is watched before the next begins
             */
            pause_seconds: number;
            /**
             * Format: int64
             * @description Revision that the change starts from
             */
            revision: number;
            /** @description Nodes in ring 1, then shares of the fleet in percent; the last ring is always the rest */
            sizes: number[];
        };
        UpdatesRollout: {
            /** @description Nodes by state */
            counts: {
                [key: string]: number;
            };
            detail: string;
            /** Format: date-time */
            finished_at: string | null;
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "rings" | "node";
            /** @description Only of a single rollout: the failed ones first, at most 500 */
            nodes?: components["schemas"]["UpdatesRolloutNode"][];
            /** Format: int64 */
            pause_seconds: number;
            /**
             * Format: date-time
             * @description While a finished ring is watched: when the next begins
             */
            rest_until: string | null;
            /**
             * Format: int64
             * @description Ring that is at it, or was when it ended
             */
            ring: number;
            rings: components["schemas"]["UpdatesRolloutRing"][];
            /** Format: date-time */
            started_at: string;
            started_by: string;
            /** @enum {string} */
            state: "running" | "done" | "failed" | "stopped";
            stopped_by: string;
            /** @description It was told to stop; nodes that are at it go on */
            stopping: boolean;
            /**
             * Format: int64
             * @description Last ring that was ordered
             */
            through: number;
            version: string;
        };
        UpdatesRolloutNode: {
            /** Format: date-time */
            ended_at: string | null;
            error: string;
            /** @description Version before */
            from: string;
            name: string;
            /** Format: uuid */
            node_id: string;
            /** Format: date-time */
            ordered_at: string | null;
            /** Format: int64 */
            ring: number;
            /** @description Where it failed: fetch, verify, held, self_test, switch, start, heartbeat; why it was left out: offline, agent_too_old */
            stage: string;
            /** @enum {string} */
            state: "waiting" | "updating" | "done" | "failed" | "skipped";
            /** @description Last words of the new build */
            tail: string;
        };
        UpdatesRolloutPage: {
            items: components["schemas"]["UpdatesRollout"][];
            /** @description Pass as cursor to read on; null on the last page */
            next_cursor: string | null;
            /** Format: int64 */
            total: number;
        };
        UpdatesRolloutRing: {
            /** @description Nodes by state */
            counts: {
                [key: string]: number;
            };
            /** Format: int64 */
            ring: number;
            /** Format: int64 */
            total: number;
        };
        UpdatesVersionBody: {
            /** @description The version that was seen; another one on the panel refuses the start */
            version?: string;
        };
        UpdatesVersionCount: {
            /** Format: int64 */
            nodes: number;
            /** @description Empty: never reported */
            version: string;
        };
        VerdictReason: {
            code: string;
            /** @enum {string} */
            effect: "good" | "warning" | "bad" | "nothing";
            /**
             * Format: int64
             * @description What it adds to the score
             */
            points: number;
            /** @description The reason as a sentence */
            text: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "get-agent-v1-assets-sha256": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content itself */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-agent-v1-batches-kind": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentapiBatch"];
            };
        };
        responses: {
            /** @description The content itself */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-agent-v1-client-lists-id": {
        parameters: {
            query?: {
                after?: string;
                /** @description Of what the agent holds; absent: nothing */
                epoch?: string;
                known?: number;
                since?: number;
            };
            header?: never;
            path: {
                /** @description Id of the flow */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentapiClientChanges"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-agent-v1-commands": {
        parameters: {
            query?: {
                wait?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentapiPending"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-agent-v1-commands-id-result": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentapiCommandResult"];
            };
        };
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-agent-v1-config": {
        parameters: {
            query?: {
                /** @description 0 or absent: the desired one */
                revision?: number;
            };
            header?: {
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentapiNodeConfig"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-agent-v1-config-result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentapiConfigResult"];
            };
        };
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-agent-v1-desired-name": {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
            };
            path: {
                /** @description config, clients, watches, pools, assets, challenges or blocks */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentapiDocument"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-agent-v1-heartbeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentapiHeartbeat"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentapiHeartbeatReply"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-agent-v1-metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentapiMetricsBatch"];
            };
        };
        responses: {
            /** @description The content itself */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-agent-v1-probe-results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NodesProbeResultsInputBody"];
            };
        };
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-agent-v1-reflect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentapiReflection"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-agent-v1-stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content itself */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-agent-v1-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "Cache-Control"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentapiTokenReply"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-agent-v1-update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentapiUpdate"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-agent-v1-update-os-arch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content itself */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-accounts": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Part of the username */
                q?: string;
                /** @description Field to sort by; a leading minus turns the order */
                sort?: string;
                state?: "active" | "disabled";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountsAccountPage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-accounts": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountsCreateInputBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountsAccount"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-accounts-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountsAccount"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "delete-accounts-id": {
        parameters: {
            query?: {
                /** @description Account that gets what this one owns; needs full access */
                hand_over_to?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "patch-accounts-id": {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountsUpdateInputBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountsAccount"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-accounts-id-password": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountsResetInputBody"];
            };
        };
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-accounts-id-sessions": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description created_at or last_seen_at; a leading minus turns the order. Default: -last_seen_at */
                sort?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountsSessionPage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "delete-accounts-id-sessions-session-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-accounts-id-tokens": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description name, created_at or expires_at; a leading minus turns the order. Default: name */
                sort?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountsApiTokenPage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "delete-accounts-id-tokens-token-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                token_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-audit": {
        parameters: {
            query?: {
                /** @description A word of the event catalogue, or a family such as flow.* */
                action?: string;
                /** @description Id or name of who did it */
                actor?: string;
                cursor?: string;
                /** @description First moment that is included */
                from?: string;
                limit?: number;
                /** @description Id or name of what it was done to */
                object?: string;
                /** @description Text in names, ids, action, address or request id */
                q?: string;
                result?: "ok" | "denied" | "failed";
                /** @description Field to sort by; a leading minus turns the order */
                sort?: string;
                /** @description First moment that is not included any more */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntryPage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-audit-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntry"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-audit-actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditActionsOutputBody"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-audit-export": {
        parameters: {
            query?: {
                /** @description A word of the event catalogue, or a family such as flow.* */
                action?: string;
                /** @description Id or name of who did it */
                actor?: string;
                format?: "csv" | "ndjson";
                /** @description First moment that is included */
                from?: string;
                /** @description Id or name of what it was done to */
                object?: string;
                /** @description Text in names, ids, action, address or request id */
                q?: string;
                result?: "ok" | "denied" | "failed";
                /** @description First moment that is not included any more */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content itself */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-audit-verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditReport"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-auth-factors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountsFactorsOutputBody"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "put-auth-language": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountsLanguageInputBody"];
            };
        };
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-auth-login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountsLoginInputBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountsSignedIn"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-auth-logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-auth-me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountsMeOutputBody"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-auth-passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountsConfirmInputBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountsRegistration"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "patch-auth-passkeys-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountsRenamePasskeyInputBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountsPasskey"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-auth-passkeys-id-remove": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountsRemovePasskeyInputBody"];
            };
        };
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-auth-passkeys-finish": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountsFinishPasskeyInputBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountsPasskey"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-auth-password": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountsPasswordInputBody"];
            };
        };
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-auth-second-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountsSecondFactorInputBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountsSignedIn"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-auth-sessions": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description created_at or last_seen_at; a leading minus turns the order. Default: -last_seen_at */
                sort?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountsSessionPage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "delete-auth-sessions-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-auth-tokens": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description name, created_at or expires_at; a leading minus turns the order. Default: name */
                sort?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountsApiTokenPage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-auth-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountsCreateTokenInputBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountsCreatedToken"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "delete-auth-tokens-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-auth-totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountsConfirmInputBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountsEnrolment"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-auth-totp-confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountsCodeInputBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountsRecoveryOutputBody"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-auth-totp-recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountsConfirmInputBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountsRecoveryOutputBody"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-auth-totp-remove": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountsConfirmInputBody"];
            };
        };
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-backups-host-key": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BackupsHostKeyQuestion"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupsHostKey"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-backups-profiles": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Field to sort by; a leading minus turns the order */
                sort?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupsProfilePage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-backups-profiles": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BackupsNewProfile"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupsProfile"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-backups-profiles-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupsProfile"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "delete-backups-profiles-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "patch-backups-profiles-id": {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BackupsProfileChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupsProfile"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-backups-restores": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Field to sort by; a leading minus turns the order */
                sort?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupsRestorePage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-backups-restores": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BackupsNewRestore"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupsRestore"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-backups-restores-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupsRestore"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-backups-runs": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Only runs of this profile */
                profile_id?: string;
                /** @description Field to sort by; a leading minus turns the order */
                sort?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupsRunPage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-backups-runs": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BackupsNewRun"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupsRun"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-backups-runs-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupsRun"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-backups-runs-id-cancel": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupsRun"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-backups-runs-id-download": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content itself */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-cdn-resources": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Field to sort by; a leading minus turns the order */
                sort?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CdnResourcePage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-certificates": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Field to sort by; a leading minus turns the order */
                sort?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CertificatesCertificatePage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-certificates": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CdndnsNewCertificate"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CertificatesCertificate"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-certificates-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CertificatesCertificate"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "delete-certificates-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-certificates-id-renew": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CertificatesCertificate"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-certificates-budgets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CdndnsBudgetList"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-clients": {
        parameters: {
            query?: {
                cursor?: string;
                /** @description Only those that may use this flow */
                flow_id?: string;
                limit?: number;
                /** @description Only those of this account */
                owner?: string;
                /** @description Part of the label or of the note */
                q?: string;
                /** @description Field to sort by; a leading minus turns the order */
                sort?: string;
                state?: "active" | "disabled" | "expired" | "spent" | "revoked" | "";
                tag?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientsClientPage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-clients": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClientsNewClient"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientsClient"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-clients-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientsClient"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "delete-clients-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "patch-clients-id": {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClientsChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientsClient"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "put-clients-id-flows-flow-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                flow_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientsClient"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "delete-clients-id-flows-flow-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                flow_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-clients-id-public-link": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "Cache-Control"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientsPublicLink"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "delete-clients-id-public-link": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-clients-id-traffic": {
        parameters: {
            query?: {
                /** @description How many days */
                days?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientsCourse"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-clients-bulk": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClientsActs"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientsBulkOutcome"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-clients-export": {
        parameters: {
            query?: {
                /** @description Only those that may use this flow */
                flow_id?: string;
                format?: "json" | "csv";
                /** @description Only those of this account */
                owner?: string;
                /** @description Part of the label or of the note */
                q?: string;
                state?: "active" | "disabled" | "expired" | "spent" | "revoked" | "";
                tag?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content itself */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-clients-import": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClientsImport"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientsImported"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-connection-units": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                node_id?: string;
                /** @description Part of the name */
                q?: string;
                /** @description Field to sort by; a leading minus turns the order */
                sort?: string;
                state?: "draft" | "compiled" | "applying" | "applied" | "apply_failed" | "";
                tag?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowsFlowPage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-connection-units": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FlowsCreateBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowsFlowDetail"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-connection-units-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowsFlowDetail"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "delete-connection-units-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowsApply"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "patch-connection-units-id": {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FlowsPatchBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowsFlowDetail"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-connection-units-id-applies": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Field to sort by; a leading minus turns the order */
                sort?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowsApplyPage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-connection-units-id-applies-apply-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                apply_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowsApply"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-connection-units-id-applies-apply-id-replay": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                apply_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrafficReplay"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-connection-units-id-applies-apply-id-stop": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path: {
                apply_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowsApply"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-connection-units-id-apply": {
        parameters: {
            query?: {
                /** @description Seconds to wait for the end; 10 when left out */
                wait?: number;
            };
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FlowsApplyBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowsApply"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-connection-units-id-clients": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Part of the label */
                q?: string;
                /** @description Field to sort by; a leading minus turns the order */
                sort?: string;
                /** @description waiting: it is active, and not let in yet */
                state?: "installed" | "waiting" | "revoked" | "";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientsFlowClientPage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-connection-units-id-clients": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClientsFlowClientBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientsFlowClient"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "delete-connection-units-id-clients-client-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                client_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-connection-units-id-clients-client-id-public-link": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                client_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "Cache-Control"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientsPublicLink"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "delete-connection-units-id-clients-client-id-public-link": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                client_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-connection-units-id-connection-link": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["FlowsLinkBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "Cache-Control"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowsConnectionLink"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-connection-units-id-disable": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowsApply"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-connection-units-id-draft": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowsDraft"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "put-connection-units-id-draft": {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FlowsDraftBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowsDraft"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-connection-units-id-enable": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowsApply"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-connection-units-id-explain": {
        parameters: {
            query?: {
                domain?: string;
                ip?: string;
                port?: number;
                protocol?: "http" | "tls" | "quic" | "bittorrent" | "";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowsExplanation"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-connection-units-id-export": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content itself */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-connection-units-id-nodes-node-id-drift": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                node_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowsNodeDrift"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-connection-units-id-nodes-node-id-restore": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
                node_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowsApply"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-connection-units-id-plan-compile": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanPlan"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-connection-units-id-plan-preview": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["FlowsPreviewBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanPlan"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-connection-units-id-plans-plan-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                plan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanPlan"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-connection-units-id-plans-plan-id-recheck": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
                plan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanPlan"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-connection-units-id-rendered": {
        parameters: {
            query: {
                node_id: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowsRendered"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-connection-units-id-traffic": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrafficTraffic"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-connection-units-id-versions": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Field to sort by; a leading minus turns the order */
                sort?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowsVersionPage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-connection-units-id-versions": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FlowsVersionCreateBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowsVersion"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-connection-units-id-versions-version-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                version_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowsVersionSnapshot"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "patch-connection-units-id-versions-version-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                version_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FlowsVersionPatchBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowsVersion"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-connection-units-bulk-apply": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FlowsBulkApplyInputBody"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkApply"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-connection-units-bulk-apply-bulk-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                bulk_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkApply"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-connection-units-clients": {
        parameters: {
            query: {
                limit?: number;
                /** @description Part of the name */
                q: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientsFoundClients"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-connection-units-installed": {
        parameters: {
            query: {
                /** @description A moment of the past */
                at: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PastInstalled"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-dns-certificate-settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CdndnsShownCertificateSettingsDocument"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "put-dns-certificate-settings": {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CdndnsCertificateSettingsChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CdndnsShownCertificateSettingsDocument"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-dns-integrations": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Field to sort by; a leading minus turns the order */
                sort?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CdndnsIntegrationPage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-dns-integrations": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CdndnsNewIntegration"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CdndnsIntegration"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-dns-integrations-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CdndnsIntegration"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "delete-dns-integrations-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "patch-dns-integrations-id": {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CdndnsIntegrationChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CdndnsIntegration"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-dns-integrations-id-zones": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CdndnsZoneList"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-dns-providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CdndnsProviderList"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-dns-setup": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CdndnsDNSSetup"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CdndnsDNSSetupResult"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-flow-imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportsImport"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-flow-imports-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportsImport"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "delete-flow-imports-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-flow-imports-id-flows": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImportsTake"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportsImport"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-flow-imports-outside": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImportsOutside"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportsImport"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-license-activate": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LicenseActivateInputBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseStatus"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-license-refresh": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseStatus"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-license-remove": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseStatus"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-license-status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseStatus"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-node-domains": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Only those of this node */
                node_id?: string;
                /** @description Only those of this account */
                owner?: string;
                /** @description Part of the host name */
                q?: string;
                /** @description Field to sort by; a leading minus turns the order */
                sort?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainsDomainPage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-node-domains": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DomainsCreateInputBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainsDomain"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-node-domains-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainsDomain"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "delete-node-domains-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "patch-node-domains-id": {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DomainsPatchInputBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainsDomain"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-node-domains-id-check": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordsDetail"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-node-domains-id-dns": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordsDetail"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-node-domains-id-renew-certificate": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CertificatesCertificate"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-nodes": {
        parameters: {
            query?: {
                /** @description Only nodes in this country */
                country?: string;
                cursor?: string;
                limit?: number;
                /** @description Part of the name, the address or a tag */
                q?: string;
                /** @description Only nodes with this role */
                role?: "entry" | "transit" | "exit" | "edge";
                /** @description Field to sort by; a leading minus turns the order */
                sort?: string;
                /** @description Only nodes in this state; attention is offline or degraded */
                state?: "pending" | "online" | "degraded" | "offline" | "maintenance" | "disabled" | "attention";
                /** @description Only nodes with this tag */
                tag?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodesNodePage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-nodes": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NodesCreateBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodesDetail"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-nodes-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodesDetail"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "delete-nodes-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "patch-nodes-id": {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NodesPatchBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodesDetail"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-nodes-id-agent-binding": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NodesBindingInputBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "Cache-Control"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodesBinding"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-nodes-id-agent-update": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdatesNodeInputBody"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdatesRollout"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-nodes-id-logs": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NodesLogsInputBody"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodesOperation"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-nodes-id-maintenance": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NodesMaintenanceBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodesDetail"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-nodes-id-metrics": {
        parameters: {
            query: {
                /** @description Default: an hour before to */
                from?: string;
                metric: "cpu_pct" | "load1" | "mem_used" | "disk_used" | "net_rx_bps" | "net_tx_bps" | "rx_pps" | "tcp_established" | "conntrack_count" | "syncookies_ps" | "listen_drops_ps" | "sessions";
                /** @description Default: now */
                to?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodesSeries"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-nodes-id-operations-operation-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                operation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodesOperation"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-nodes-id-restart-core": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodesOperation"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-nodes-id-rotate-token": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodesOperation"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-nodes-agent-rings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdatesRings"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "put-nodes-agent-rings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdatesRingsInputBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdatesRings"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-nodes-agent-rings-ring-update": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path: {
                ring: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdatesVersionBody"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdatesRollout"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-nodes-agent-rings-rollouts": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Field to sort by; a leading minus turns the order */
                sort?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdatesRolloutPage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-nodes-agent-rings-rollouts-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdatesRollout"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-nodes-agent-rings-rollouts-id-stop": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdatesRollout"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-nodes-brief": {
        parameters: {
            query?: {
                /** @description These nodes, at most 200, with commas between their ids */
                ids?: string;
                limit?: number;
                /** @description Part of the name, the address or a tag */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodesBriefs"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-nodes-bulk": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NodesBulkBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodesBulkOutcome"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-nodes-cells": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FiguresCells"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-nodes-enrollment-tokens": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Field to sort by; a leading minus turns the order */
                sort?: string;
                state?: "active" | "used_up" | "expired" | "revoked";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodesEnrollmentTokenPage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-nodes-enrollment-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NodesTokenInputBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "Cache-Control"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodesIssuedToken"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-nodes-enrollment-tokens-token-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodesEnrollmentToken"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "delete-nodes-enrollment-tokens-token-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-nodes-metrics": {
        parameters: {
            query: {
                /** @description Default: a day before to */
                from?: string;
                metric: "net_rx_bps" | "net_tx_bps" | "sessions" | "cpu_pct" | "online" | "degraded" | "offline";
                /** @description Default: now */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodesSeries"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-nodes-moment": {
        parameters: {
            query: {
                /** @description A moment of the last 30 days */
                at: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FiguresMoment"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-nodes-sparks": {
        parameters: {
            query: {
                /** @description At most 64 ids of nodes with commas between them */
                ids: string;
                metric?: "net_tx_bps" | "net_rx_bps" | "cpu_pct" | "sessions";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FiguresSparks"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-nodes-summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FiguresSummary"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-notifications-channels": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Field to sort by; a leading minus turns the order */
                sort?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationsChannelPage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-notifications-channels": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NotificationsNewChannel"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationsChannel"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-notifications-channels-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationsChannel"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "delete-notifications-channels-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "patch-notifications-channels-id": {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NotificationsChannelChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationsChannel"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-notifications-channels-id-test": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationsDelivery"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-notifications-deliveries": {
        parameters: {
            query?: {
                /** @description messenger, or the id of a channel */
                channel?: string;
                cursor?: string;
                /** @description Kind of the event */
                kind?: string;
                limit?: number;
                /** @description Field to sort by; a leading minus turns the order */
                sort?: string;
                state?: "queued" | "sending" | "sent" | "failed" | "folded" | "superseded" | "cancelled";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationsDeliveryPage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-notifications-deliveries-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationsDelivery"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-notifications-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationsEventList"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-notifications-messenger-test": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationsMessengerTest"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-notifications-rules": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Field to sort by; a leading minus turns the order */
                sort?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationsRulePage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-notifications-rules": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NotificationsNewRule"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationsRule"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-notifications-rules-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationsRule"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "delete-notifications-rules-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "patch-notifications-rules-id": {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NotificationsRuleChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationsRule"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-notifications-settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationsShownSettingsDocument"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "put-notifications-settings": {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NotificationsSettingsChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationsShownSettingsDocument"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-openapi-json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content itself */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-operations": {
        parameters: {
            query?: {
                /** @description Only what has not ended */
                active?: boolean;
                cursor?: string;
                limit?: number;
                /** @description Field to sort by; a leading minus turns the order */
                sort?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationsOperationPage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-operations-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationsOperation"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-operations-id-cancel": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationsOperation"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountsPermissionsOutputBody"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-setup-admin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetupAdminInputBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountsSignedIn"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-setup-dnsprovider-dns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CdndnsDNSSetup"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CdndnsDNSSetupResult"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-setup-finish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetupFinishOutputBody"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-setup-state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetupStateOutputBody"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-stream": {
        parameters: {
            query?: {
                /** @description What to follow, such as node,flow:ID; all news without it. Figures come only to who names them: metrics, metrics:ID.ID or metrics:* */
                topics?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content itself */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-subscriptions-settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionsSettingsDocument"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "put-subscriptions-settings": {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionsSettingsChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionsSettingsDocument"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-system-diagnostics": {
        parameters: {
            query?: {
                /** @description Whose log */
                component?: "backend" | "worker" | "scheduler" | "nginx";
                /** @description Only lines of this level and above */
                level?: "DEBUG" | "INFO" | "WARN" | "ERROR";
                /** @description The last lines */
                tail?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiagnosticsView"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-system-security": {
        parameters: {
            query?: never;
            header?: {
                /** @description What a reverse proxy adds; it is compared with what the panel believes */
                "X-Forwarded-For"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SystemSecurityOutputBody"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-system-status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SystemStatusOutputBody"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-system-support-bundle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DiagnosticsBundleRequest"];
            };
        };
        responses: {
            /** @description The content itself */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-system-support-bundle-preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DiagnosticsBundleRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SupportManifest"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-system-support-bundle-send": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DiagnosticsBundleRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SupportManifest"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-system-updates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SelfupdateView"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-system-updates-apply": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SelfupdateApplyInputBody"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SelfupdateRun"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-system-updates-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SelfupdateView"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-system-updates-rollback": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SelfupdateRun"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-system-updates-settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SelfupdateShownSettingsDocument"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "put-system-updates-settings": {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SelfupdateSettingsChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SelfupdateShownSettingsDocument"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-target-search": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Searches of this node alone */
                node_id?: string;
                /** @description Field to sort by; a leading minus turns the order */
                sort?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TargetsSearchPage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-target-search": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TargetsNewSearch"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TargetsSearch"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-target-search-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TargetsSearch"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-target-search-id-cancel": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TargetsSearch"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-target-search-id-results": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Field to sort by; a leading minus turns the order */
                sort?: string;
                suitability?: "suitable" | "acceptable" | "unsuitable" | "unknown";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TargetsResultPage"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-target-search-check": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TargetsNewCheck"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TargetsSearch"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SystemHealthDocument"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-install-agent-sh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content itself */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-install-agent-os-arch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content itself */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "post-install-enroll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentapiEnrollRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentapiEnrollReply"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SystemHealthDocument"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SystemHealthDocument"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
    "get-s-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content itself */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HttpapiProblem"];
                };
            };
        };
    };
}

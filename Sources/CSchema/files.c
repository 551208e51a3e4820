// Made by scripts/embed.
#include "CSchema.h"

// #embed is standard in C23 and an extension before it.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char file_0[] = {
#embed "../../schema/migrations/m001_roles.sql"
};
static const unsigned char file_1[] = {
#embed "../../schema/migrations/m002_ledger.sql"
};
static const unsigned char file_2[] = {
#embed "../../schema/migrations/m003_claims.sql"
};
static const unsigned char file_3[] = {
#embed "../../schema/migrations/m004_append_types.sql"
};
static const unsigned char file_4[] = {
#embed "../../schema/migrations/m005_keys.sql"
};
static const unsigned char file_5[] = {
#embed "../../schema/migrations/m006_requests.sql"
};
static const unsigned char file_6[] = {
#embed "../../schema/migrations/m007_sessions.sql"
};
static const unsigned char file_7[] = {
#embed "../../schema/migrations/m008_openid.sql"
};
static const unsigned char file_8[] = {
#embed "../../schema/migrations/m009_mpin.sql"
};
static const unsigned char file_9[] = {
#embed "../../schema/migrations/m010_projections.sql"
};
static const unsigned char file_10[] = {
#embed "../../schema/functions/append.sql"
};
static const unsigned char file_11[] = {
#embed "../../schema/functions/append_claims.sql"
};
static const unsigned char file_12[] = {
#embed "../../schema/functions/append_decide.sql"
};
static const unsigned char file_13[] = {
#embed "../../schema/functions/append_events.sql"
};
static const unsigned char file_14[] = {
#embed "../../schema/functions/append_independent.sql"
};
static const unsigned char file_15[] = {
#embed "../../schema/functions/append_lock.sql"
};
static const unsigned char file_16[] = {
#embed "../../schema/functions/append_new.sql"
};
static const unsigned char file_17[] = {
#embed "../../schema/functions/append_ready.sql"
};
static const unsigned char file_18[] = {
#embed "../../schema/functions/changed_ledgers.sql"
};
static const unsigned char file_19[] = {
#embed "../../schema/functions/charge_attempt.sql"
};
static const unsigned char file_20[] = {
#embed "../../schema/functions/enter_scope.sql"
};
static const unsigned char file_21[] = {
#embed "../../schema/functions/feed_page.sql"
};
static const unsigned char file_22[] = {
#embed "../../schema/functions/feed_pages.sql"
};
static const unsigned char file_23[] = {
#embed "../../schema/functions/insert_keys.sql"
};
static const unsigned char file_24[] = {
#embed "../../schema/functions/lock_heads.sql"
};
static const unsigned char file_25[] = {
#embed "../../schema/functions/make_heads.sql"
};
static const unsigned char file_26[] = {
#embed "../../schema/functions/pass_ledgers.sql"
};
static const unsigned char file_27[] = {
#embed "../../schema/functions/refund_attempts.sql"
};
static const unsigned char file_28[] = {
#embed "../../schema/functions/require.sql"
};
static const unsigned char file_29[] = {
#embed "../../schema/functions/settle.sql"
};
static const unsigned char file_30[] = {
#embed "../../schema/functions/stored_ledgers.sql"
};
static const unsigned char file_31[] = {
#embed "../../schema/distributed/append_distributed.sql"
};
static const unsigned char file_32[] = {
#embed "../../schema/distributed/append_independent_distributed.sql"
};
static const unsigned char file_33[] = {
#embed "../../schema/distributed/changed_ledgers_distributed.sql"
};
static const unsigned char file_34[] = {
#embed "../../schema/distributed/enter_scope_distributed.sql"
};
static const unsigned char file_35[] = {
#embed "../../schema/distributed/feed_page_distributed.sql"
};
static const unsigned char file_36[] = {
#embed "../../schema/distributed/feed_pages_distributed.sql"
};
static const unsigned char file_37[] = {
#embed "../../schema/distributed/lock_heads_distributed.sql"
};
static const unsigned char file_38[] = {
#embed "../../schema/distributed/pass_ledgers_distributed.sql"
};
static const unsigned char file_39[] = {
#embed "../../schema/distributed/settle_distributed.sql"
};
static const unsigned char file_40[] = {
#embed "../../schema/distributed/stored_ledgers_distributed.sql"
};

static const char *const names[] = {
    "migrations/m001_roles.sql",
    "migrations/m002_ledger.sql",
    "migrations/m003_claims.sql",
    "migrations/m004_append_types.sql",
    "migrations/m005_keys.sql",
    "migrations/m006_requests.sql",
    "migrations/m007_sessions.sql",
    "migrations/m008_openid.sql",
    "migrations/m009_mpin.sql",
    "migrations/m010_projections.sql",
    "functions/append.sql",
    "functions/append_claims.sql",
    "functions/append_decide.sql",
    "functions/append_events.sql",
    "functions/append_independent.sql",
    "functions/append_lock.sql",
    "functions/append_new.sql",
    "functions/append_ready.sql",
    "functions/changed_ledgers.sql",
    "functions/charge_attempt.sql",
    "functions/enter_scope.sql",
    "functions/feed_page.sql",
    "functions/feed_pages.sql",
    "functions/insert_keys.sql",
    "functions/lock_heads.sql",
    "functions/make_heads.sql",
    "functions/pass_ledgers.sql",
    "functions/refund_attempts.sql",
    "functions/require.sql",
    "functions/settle.sql",
    "functions/stored_ledgers.sql",
    "distributed/append_distributed.sql",
    "distributed/append_independent_distributed.sql",
    "distributed/changed_ledgers_distributed.sql",
    "distributed/enter_scope_distributed.sql",
    "distributed/feed_page_distributed.sql",
    "distributed/feed_pages_distributed.sql",
    "distributed/lock_heads_distributed.sql",
    "distributed/pass_ledgers_distributed.sql",
    "distributed/settle_distributed.sql",
    "distributed/stored_ledgers_distributed.sql",
};
static const unsigned char *const bytes[] = {
    file_0,
    file_1,
    file_2,
    file_3,
    file_4,
    file_5,
    file_6,
    file_7,
    file_8,
    file_9,
    file_10,
    file_11,
    file_12,
    file_13,
    file_14,
    file_15,
    file_16,
    file_17,
    file_18,
    file_19,
    file_20,
    file_21,
    file_22,
    file_23,
    file_24,
    file_25,
    file_26,
    file_27,
    file_28,
    file_29,
    file_30,
    file_31,
    file_32,
    file_33,
    file_34,
    file_35,
    file_36,
    file_37,
    file_38,
    file_39,
    file_40,
};
static const size_t sizes[] = {
    sizeof file_0,
    sizeof file_1,
    sizeof file_2,
    sizeof file_3,
    sizeof file_4,
    sizeof file_5,
    sizeof file_6,
    sizeof file_7,
    sizeof file_8,
    sizeof file_9,
    sizeof file_10,
    sizeof file_11,
    sizeof file_12,
    sizeof file_13,
    sizeof file_14,
    sizeof file_15,
    sizeof file_16,
    sizeof file_17,
    sizeof file_18,
    sizeof file_19,
    sizeof file_20,
    sizeof file_21,
    sizeof file_22,
    sizeof file_23,
    sizeof file_24,
    sizeof file_25,
    sizeof file_26,
    sizeof file_27,
    sizeof file_28,
    sizeof file_29,
    sizeof file_30,
    sizeof file_31,
    sizeof file_32,
    sizeof file_33,
    sizeof file_34,
    sizeof file_35,
    sizeof file_36,
    sizeof file_37,
    sizeof file_38,
    sizeof file_39,
    sizeof file_40,
};

const size_t schema_count = 41;
const char *const *const schema_names = names;
const unsigned char *const *const schema_bytes = bytes;
const size_t *const schema_sizes = sizes;

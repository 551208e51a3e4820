#ifndef CLIBPQ_SHIM_H
#define CLIBPQ_SHIM_H

#include <libpq-fe.h>

/* Glibc's Swift module exports neither epoll nor eventfd. */
#include <sys/epoll.h>
#include <sys/eventfd.h>

/* The diagnostic fields are character macros, which Swift does not import. */
enum CLibPQDiagnosticField {
    /* Never translated, unlike PG_DIAG_SEVERITY. */
    CLIBPQ_DIAG_SEVERITY = PG_DIAG_SEVERITY_NONLOCALIZED,
    CLIBPQ_DIAG_SQLSTATE = PG_DIAG_SQLSTATE,
    CLIBPQ_DIAG_MESSAGE = PG_DIAG_MESSAGE_PRIMARY,
    CLIBPQ_DIAG_DETAIL = PG_DIAG_MESSAGE_DETAIL,
    CLIBPQ_DIAG_CONTEXT = PG_DIAG_CONTEXT,
    CLIBPQ_DIAG_SCHEMA = PG_DIAG_SCHEMA_NAME,
    CLIBPQ_DIAG_TABLE = PG_DIAG_TABLE_NAME,
    CLIBPQ_DIAG_COLUMN = PG_DIAG_COLUMN_NAME,
    CLIBPQ_DIAG_CONSTRAINT = PG_DIAG_CONSTRAINT_NAME,
};

#endif

// libpq, opened at first use: a program whose step log is SQLite starts without
// it, and one that is told to use PostgreSQL says which package is missing.
#ifndef AGT_RUNTIME_LOG_PQ_H
#define AGT_RUNTIME_LOG_PQ_H

#include <libpq-fe.h>

namespace agt::rt {

struct Pq {
#define AGT_PQ_FUNCTIONS(X)                                                    \
  X(PQconninfoParse)                                                           \
  X(PQconninfoFree)                                                            \
  X(PQconnectdbParams)                                                         \
  X(PQfinish)                                                                  \
  X(PQsetNoticeProcessor)                                                      \
  X(PQstatus)                                                                  \
  X(PQerrorMessage)                                                            \
  X(PQserverVersion)                                                           \
  X(PQparameterStatus)                                                         \
  X(PQtransactionStatus)                                                       \
  X(PQexec)                                                                    \
  X(PQprepare)                                                                 \
  X(PQexecPrepared)                                                            \
  X(PQresultStatus)                                                            \
  X(PQresultErrorField)                                                        \
  X(PQntuples)                                                                 \
  X(PQgetvalue)                                                                \
  X(PQgetlength)                                                               \
  X(PQgetisnull)                                                               \
  X(PQclear)                                                                   \
  X(PQfreemem)                                                                 \
  X(PQsocket)                                                                  \
  X(PQconsumeInput)                                                            \
  X(PQnotifies)
#define AGT_PQ_MEMBER(name) decltype(&::name) name;
  AGT_PQ_FUNCTIONS(AGT_PQ_MEMBER)
#undef AGT_PQ_MEMBER
};

/// Fails with AGT_MISSING when there is no libpq.
const Pq &pq();

} // namespace agt::rt

#endif // AGT_RUNTIME_LOG_PQ_H

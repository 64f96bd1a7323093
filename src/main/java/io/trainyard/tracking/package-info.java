/// The tracking store: the history of all jobs in an SQL database, PostgreSQL or an SQLite file. Records and
/// the offsets up to which topics were read are written in one transaction, so records are neither lost nor
/// stored twice after a crash.
@NullMarked
package io.trainyard.tracking;

import org.jspecify.annotations.NullMarked;

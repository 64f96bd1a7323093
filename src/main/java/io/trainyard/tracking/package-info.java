/// The tracking store: the history of all jobs in an SQL database, PostgreSQL or a file of SQLite. What is taken in and
/// how far the topics were read are written in one transaction, so that a crash loses nothing and doubles nothing.
@NullMarked
package io.trainyard.tracking;

import org.jspecify.annotations.NullMarked;

package io.trainyard.cli;

/// The exit statuses of the commands, and their lines in the help texts.
final class ExitCodes {
    static final int OK = 0;
    static final int FAILED = 1;
    static final int BAD_INPUT = 2;
    static final int KAFKA_UNREACHABLE = 3;
    static final int INTERRUPTED = 130;

    static final String OK_HELP = "0:success";
    static final String JOBS_OK_HELP = "0:success; if it waits for jobs, all of them finished";
    static final String FAILED_HELP = "1:a job failed, was rejected or is unknown; or an internal error";
    static final String CONTROL_OK_HELP = "0:the jobs are in the requested state, or the request is stored";
    static final String CONTROL_FAILED_HELP = "1:a job has ended or is unknown; or an internal error";
    static final String UNEXPECTED_HELP = "1:an internal error";
    static final String BAD_INPUT_HELP = "2:a wrong option, or invalid input";
    static final String KAFKA_HELP = "3:Kafka does not answer, or refuses the connection or a request";
    static final String INTERRUPTED_HELP = "130:interrupted with Ctrl+C";

    private ExitCodes() {}
}

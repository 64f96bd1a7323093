package io.trainyard.s3;

import java.io.IOException;
import java.util.regex.Pattern;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.S3Exception;

/// Converts the library's exceptions to [IOException]s with our own messages. The library's exceptions are not
/// propagated, because the library and the server control their texts.
final class S3Failures {
    static final int NOT_FOUND = 404;
    static final int CONFLICT = 409;
    static final int PRECONDITION_FAILED = 412;

    private static final Pattern CODE = Pattern.compile("[A-Za-z]{1,60}");

    private S3Failures() {}

    static IOException of(SdkException e) {
        return new IOException(
                switch (e) {
                    case S3Exception refusal -> refused(refusal);
                    case ApiCallTimeoutException _, ApiCallAttemptTimeoutException _ ->
                        "the server did not answer in time (TRAINYARD_S3_TIMEOUT)";
                    case AbortedException _ -> "the thread was interrupted";
                    default -> unsent(e);
                });
    }

    private static String refused(S3Exception e) {
        String code = code(e);
        String advice = switch (code) {
            case "NoSuchBucket" -> "; make the bucket, or name another";
            case "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken" ->
                "; check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS's files";
            case "AccessDenied" -> "; allow s3:GetObject, PutObject, DeleteObject and ListBucket";
            default -> "";
        };
        return "the server answered %d%s%s".formatted(e.statusCode(), code.isEmpty() ? "" : " " + code, advice);
    }

    /// The server's error code; empty if the response has none, as for HEAD.
    static String code(S3Exception e) {
        String code = e.awsErrorDetails() == null ? null : e.awsErrorDetails().errorCode();
        return code != null && CODE.matcher(code).matches() ? code : "";
    }

    /// Without a response: no server, no region, or no credentials.
    private static String unsent(SdkException e) {
        String text = String.valueOf(e.getMessage());
        if (text.contains("credentials")) {
            return "no credentials were found; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE";
        }
        if (text.contains("region")) {
            return "no region was found; set AWS_REGION";
        }
        Throwable cause = e;
        while (cause.getCause() != null && !(cause instanceof IOException)) {
            cause = cause.getCause();
        }
        return cause instanceof IOException io
                ? "the server cannot be reached: " + io
                : "the request failed: " + cause.getClass().getSimpleName();
    }
}

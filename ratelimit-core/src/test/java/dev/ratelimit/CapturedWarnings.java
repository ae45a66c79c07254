package dev.ratelimit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Keeps what a class logs, instead of showing it, until closed. */
final class CapturedWarnings extends Handler implements AutoCloseable {

    private final Logger logger;
    private final List<String> messages = Collections.synchronizedList(new ArrayList<>());

    CapturedWarnings(Class<?> source) {
        logger = Logger.getLogger(source.getName());
        logger.setUseParentHandlers(false);
        logger.addHandler(this);
    }

    List<String> messages() {
        return List.copyOf(messages);
    }

    @Override
    public void publish(LogRecord record) {
        messages.add(new SimpleFormatter().formatMessage(record));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setUseParentHandlers(true);
    }
}

package dev.ratelimit.concurrency;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * When permits of one key were given: each between the reading of the clock by which it was decided
 * and one after it had been. The counts of violations are of those that no order of events
 * explains.
 */
final class Admissions {

    /** One permit. */
    private record Admission(long decidedNanos, long returnedNanos) {}

    private final List<Admission> all = new ArrayList<>();

    void add(long decidedNanos, long returnedNanos) {
        all.add(new Admission(decidedNanos, returnedNanos));
    }

    void addAll(Admissions others) {
        all.addAll(others.all);
    }

    int count() {
        return all.size();
    }

    private List<Admission> byStart() {
        return all.stream().sorted(Comparator.comparingLong(Admission::decidedNanos)).toList();
    }

    /** Against: never more than burst + t / periodNanos in any stretch t. */
    int violationsOfTokenBucket(long burst, long periodNanos) {
        int violations = 0;
        long fullNanos = 0;
        for (Admission admission : byStart()) {
            long nowNanos = admission.decidedNanos();
            fullNanos = Math.max(fullNanos, nowNanos) + periodNanos;
            if (fullNanos - nowNanos > burst * periodNanos) {
                violations++;
            }
        }
        return violations;
    }

    /**
     * Against: never more than so many requests in any window. A permit may count at any moment
     * that its decision touched, so it is in a window for certain only if all of that is.
     */
    int violationsOfSlidingLog(int requests, long windowNanos) {
        List<Admission> byStart = byStart();
        int violations = 0;
        for (int first = 0; first < byStart.size(); first++) {
            long endNanos = byStart.get(first).decidedNanos() + windowNanos;
            int within = 0;
            for (int i = first;
                    i < byStart.size() && byStart.get(i).decidedNanos() < endNanos;
                    i++) {
                within += byStart.get(i).returnedNanos() < endNanos ? 1 : 0;
            }
            violations += within > requests ? 1 : 0;
        }
        return violations;
    }

    /**
     * Against: never more than so many requests in one window of the grid. A permit may count in
     * any window that its decision touched; of those that are due, the one that can wait least goes
     * first.
     */
    int violationsOfFixedWindow(int requests, long windowNanos) {
        List<Admission> byStart = byStart();
        PriorityQueue<Long> lastWindows = new PriorityQueue<>();
        int violations = 0;
        int next = 0;
        long window = 0;
        while (next < byStart.size() || !lastWindows.isEmpty()) {
            if (lastWindows.isEmpty()) {
                window = byStart.get(next).decidedNanos() / windowNanos;
            }
            while (next < byStart.size()
                    && byStart.get(next).decidedNanos() / windowNanos <= window) {
                lastWindows.add(byStart.get(next).returnedNanos() / windowNanos);
                next++;
            }
            for (int i = 0; i < requests && !lastWindows.isEmpty(); i++) {
                lastWindows.remove();
            }
            while (!lastWindows.isEmpty() && lastWindows.peek() <= window) {
                lastWindows.remove();
                violations++;
            }
            window++;
        }
        return violations;
    }
}

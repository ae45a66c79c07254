package dev.ratelimit.benchmarks;

import jakarta.servlet.ServletException;
import java.io.IOException;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Sends requests to a site, each from the next of many addresses. */
@State(Scope.Thread)
public class Visitor {

    static final int ADDRESSES = 1000;

    private final String[] addresses = new String[ADDRESSES];
    private final StubRequest request = new StubRequest(Site.PATH);
    private final StubResponse response = new StubResponse();
    private int next;

    public Visitor() {
        for (int i = 0; i < ADDRESSES; i++) {
            addresses[i] = "203.0." + i / 250 + "." + (i % 250 + 1);
        }
    }

    StubResponse visit(Site site) throws ServletException, IOException {
        next = next + 1 < ADDRESSES ? next + 1 : 0;
        request.begin(addresses[next]);
        response.begin();
        site.serve(request, response);
        return response;
    }
}

package dev.ratelimit.spring.method;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * Moves calls to the moment at which somebody subscribes to their result, and makes one for each
 * who does: a retry subscribes again.
 */
final class ReactiveResult {

    private final ReactiveAdapter adapter;

    private ReactiveResult(ReactiveAdapter adapter) {
        this.adapter = adapter;
    }

    /** For a method that returns such a type; null for a type whose work begins with the call. */
    static @Nullable ReactiveResult of(Class<?> returnType) {
        ReactiveAdapter adapter =
                ReactiveAdapterRegistry.getSharedInstance().getAdapter(returnType);
        return adapter != null && adapter.getDescriptor().isDeferred()
                ? new ReactiveResult(adapter)
                : null;
    }

    /** The result of calls that are yet to be made. */
    Object of(Call call) {
        return CallPublisher.result(call, adapter);
    }

    /** A call, which can be made any number of times. */
    @FunctionalInterface
    interface Call {
        @Nullable Object make() throws Throwable;
    }

    /** Loaded only where there are reactive types, which the class around it must not name. */
    private record CallPublisher(Call call, ReactiveAdapter adapter) implements Publisher<Object> {

        static Object result(Call call, ReactiveAdapter adapter) {
            return adapter.fromPublisher(new CallPublisher(call, adapter));
        }

        @Override
        public void subscribe(Subscriber<? super Object> subscriber) {
            Publisher<Object> result;
            try {
                result = adapter.toPublisher(call.make());
            } catch (VirtualMachineError e) {
                throw e;
            } catch (Throwable e) {
                subscriber.onSubscribe(new Ended());
                subscriber.onError(e);
                return;
            }
            result.subscribe(subscriber);
        }
    }

    /** What a subscriber receives before it is told of a failure. */
    private record Ended() implements Subscription {

        @Override
        public void request(long count) {}

        @Override
        public void cancel() {}
    }
}

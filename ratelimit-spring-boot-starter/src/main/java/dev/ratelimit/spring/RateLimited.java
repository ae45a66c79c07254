package dev.ratelimit.spring;

import dev.ratelimit.LimitStrategy;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.TimeUnit;

/**
 * Limits how often a method of a Spring bean may be called, or how often a handler method of a
 * controller may be requested.
 *
 * <pre>{@code
 * @RateLimited(requests = 100, window = 1, unit = TimeUnit.SECONDS)
 * @RateLimited("search")            // the rule of that name
 * }</pre>
 *
 * <p>On a type, it is one rule that all methods of the type share; the annotations of a method
 * replace those of its type. Several on one method all apply: a call passes if all of them admit
 * it, and spends from all or none.
 *
 * <p>It is found on interfaces, on overridden methods and on other annotations too. The annotations
 * of an overriding method, or of a subtype, replace those of what it overrides or extends.
 *
 * <p>A call that is refused throws {@link RateLimitExceededException}; in Spring MVC it is answered
 * with status 429.
 *
 * <p>Handler methods are counted as requests. Other methods are counted by a proxy of their bean,
 * and so are handler methods that have an annotation with an expression or a {@link #fallback()}:
 * calls that a bean makes on itself are not counted then, nor are private and static methods, and a
 * final class or method stops the start.
 *
 * <p>A method that returns a reactive type, such as Reactor's {@code Mono}, is called when somebody
 * subscribes to its result, and is counted each time. Other methods are counted when they are
 * called.
 */
@Documented
@Inherited
@Repeatable(RateLimited.Container.class)
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface RateLimited {

    /**
     * Names the rule in {@code application.yml} or in a {@link RateLimitConfigurer} that applies.
     * It brings all its settings, so that nothing else can be set here but {@link #fallback()} and
     * {@link #maxWait()}.
     *
     * @return its name; empty when the limit is given here
     */
    String value() default "";

    /**
     * How many requests a window has.
     *
     * @return 1 to 10⁹; 0 when {@link #value()} names a rule
     */
    long requests() default 0;

    /**
     * How long the window is, in {@link #unit()}.
     *
     * @return 1 ms to 366 days
     */
    long window() default 1;

    /**
     * The unit of {@link #window()}.
     *
     * @return the unit
     */
    TimeUnit unit() default TimeUnit.SECONDS;

    /**
     * How many a full token bucket can give at once.
     *
     * @return 1 to 10⁹; 0 for as many as {@link #requests()}
     */
    long burst() default 0;

    /**
     * How requests are counted.
     *
     * @return a built-in strategy
     */
    LimitStrategy strategy() default LimitStrategy.FIXED_WINDOW;

    /**
     * Names a {@link dev.ratelimit.RateLimitStrategy} bean that counts instead.
     *
     * @return its name; empty for {@link #strategy()}
     */
    String strategyBean() default "";

    /**
     * Who is counted: {@code ip}, {@code user}, {@code global}, {@code session}, {@code
     * header:NAME}, {@code cookie:NAME}, {@code query:NAME}, {@code path:NAME} or {@code
     * bean:NAME}, or several. A part that begins with {@code #} is an expression in the Spring
     * Expression Language over the arguments of the method by their names, such as {@code #id} or
     * {@code #order.customer}; {@code #a0} and {@code #p0} are the first. It can name {@code
     * request}, {@code principal} and {@code ip} too. Where it has no value, the client's address
     * is counted.
     *
     * @return the parts of the key; none for {@code ip} in a web request and {@code global}
     *     elsewhere
     */
    String[] key() default {};

    /**
     * What one call costs: a number, or an expression that begins with {@code #}, as in {@link
     * #key()}. Of its value, a fraction is rounded up, and 0 exempts the call; where it has no
     * value that is a number, or a negative one, the call costs 1.
     *
     * @return a number of permits, at least 1; or an expression
     */
    String permits() default "1";

    /**
     * Names the method that is called instead where this limit refuses a call. It is a method of
     * the same bean, of any visibility, that takes the same parameters, and may take a {@link
     * RateLimitExceededException} after them; what it returns or throws is what the caller gets. A
     * type's annotation does not count the method that it names here.
     *
     * @return its name; empty to throw that exception
     */
    String fallback() default "";

    /**
     * How long a call may wait for permits of this limit before it is refused, such as {@code "2s"}
     * or {@code "500ms"}. The calling thread sleeps. A call that could not be admitted in that time
     * is refused at once. Not for handler methods, nor for methods that return a reactive type.
     *
     * <p>A thread that is interrupted meanwhile gets an {@link InterruptedException} if the method
     * declares it; else the call is refused, and the thread stays interrupted.
     *
     * @return 1 ms to 366 days, as in properties; empty for not at all
     */
    String maxWait() default "";

    /**
     * What the rule is called in metrics and at the endpoint.
     *
     * @return 1 to 64 characters of {@code A-Z a-z 0-9 . _ -}, of no other rule; empty for {@code
     *     Type.method} or {@code Type}, with a suffix where another rule would have the same name
     */
    String name() default "";

    /** Holds several on one element. */
    @Documented
    @Inherited
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.METHOD, ElementType.TYPE})
    @interface Container {

        /**
         * The annotations.
         *
         * @return at least one
         */
        RateLimited[] value();
    }
}

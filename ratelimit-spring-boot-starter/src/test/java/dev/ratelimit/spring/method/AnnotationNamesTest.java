package dev.ratelimit.spring.method;

import static dev.ratelimit.spring.method.MethodContext.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ratelimit.spring.RateLimited;
import dev.ratelimit.spring.rule.Rules;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.InitializingBean;

class AnnotationNamesTest {

    @Test
    void names_are_the_same_in_whatever_order_beans_are_made() {
        List<Class<?>> beans =
                new ArrayList<>(
                        List.of(
                                First.Items.class,
                                Second.Items.class,
                                Overloads.class,
                                Plain.class,
                                TakesAName.class));
        Map<String, String> names = namesByPlace(beans);
        Collections.reverse(beans);
        assertThat(namesByPlace(beans)).isEqualTo(names);
        Collections.shuffle(beans);
        assertThat(namesByPlace(beans)).isEqualTo(names);

        assertThat(names).hasSize(8);
        assertThat(names.values()).doesNotHaveDuplicates().allMatch(n -> n.length() <= 64);
        assertThat(names.get(place(First.Items.class, "get()"))).matches("Items\\.get-[0-9a-f]{8}");
        assertThat(names.get(place(Second.Items.class, "get()")))
                .matches("Items\\.get-[0-9a-f]{8}");
        assertThat(names.get(place(Overloads.class, "find(int)")))
                .matches("Overloads\\.find-[0-9a-f]{8}");
        assertThat(names.get(place(Plain.class, "call()"))).matches("Plain\\.call-[0-9a-f]{8}");
        assertThat(names.get(place(Plain.class, "with$dollar()"))).isEqualTo("Plain.with-dollar");
        assertThat(names.get(place(TakesAName.class, "call()"))).isEqualTo("Plain.call");
    }

    @Test
    void names_do_not_depend_on_which_bean_is_called_first_during_the_start() {
        Map<String, String> names =
                namesByPlace(List.of(First.Items.class, Second.Items.class, CallsFirst.class));
        assertThat(namesByPlace(List.of(First.Items.class, Second.Items.class, CallsSecond.class)))
                .isEqualTo(names)
                .hasSize(2);
    }

    @Test
    void a_long_name_is_cut_and_stays_unique() {
        Map<String, String> names = namesByPlace(List.of(VeryLong.class));
        assertThat(names.values())
                .hasSize(2)
                .doesNotHaveDuplicates()
                .allMatch(name -> name.matches("VeryLong\\.aMethod[A-Za-z]+-[0-9a-f]{8}"))
                .allMatch(name -> name.length() == 64);
    }

    private static String place(Class<?> type, String method) {
        return "@RateLimited on " + type.getTypeName() + "." + method;
    }

    private static Map<String, String> namesByPlace(List<Class<?>> beans) {
        Map<String, String> names = new TreeMap<>();
        with(beans.toArray(new Class<?>[0]))
                .run(
                        context ->
                                context.getBean(Rules.class)
                                        .all()
                                        .forEach(
                                                rule ->
                                                        names.put(
                                                                rule.definition().where(),
                                                                rule.name())));
        return names;
    }

    static class First {
        static class Items {
            @RateLimited(requests = 1)
            void get() {}
        }
    }

    static class Second {
        static class Items {
            @RateLimited(requests = 1)
            void get() {}
        }
    }

    static class CallsFirst implements InitializingBean {
        private final First.Items items;

        CallsFirst(First.Items items) {
            this.items = items;
        }

        @Override
        public void afterPropertiesSet() {
            items.get();
        }
    }

    static class CallsSecond implements InitializingBean {
        private final Second.Items items;

        CallsSecond(Second.Items items) {
            this.items = items;
        }

        @Override
        public void afterPropertiesSet() {
            items.get();
        }
    }

    static class Overloads {
        @RateLimited(requests = 1)
        void find(int id) {}

        @RateLimited(requests = 1)
        void find(String id) {}
    }

    static class Plain {
        @RateLimited(requests = 1)
        void call() {}

        @RateLimited(requests = 1)
        void with$dollar() {}

        @RateLimited(requests = 1)
        void other() {}
    }

    static class TakesAName {
        @RateLimited(requests = 1, name = "Plain.call")
        void call() {}
    }

    static class VeryLong {
        @RateLimited(requests = 1)
        void aMethodWhoseNameTellsEveryDetailOfWhatItDoesInTheEndAndThenSomeMoreOfIt() {}

        @RateLimited(requests = 1)
        void aMethodWhoseNameTellsEveryDetailOfWhatItDoesInTheEndAndThenSomeMoreOfThat() {}
    }
}

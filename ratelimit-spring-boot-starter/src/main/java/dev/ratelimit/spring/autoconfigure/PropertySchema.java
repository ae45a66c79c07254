package dev.ratelimit.spring.autoconfigure;

import dev.ratelimit.spring.autoconfigure.RateLimitProperties.RuleProperties;
import dev.ratelimit.spring.key.Nearest;
import dev.ratelimit.spring.rule.InvalidRuleException;
import dev.ratelimit.spring.rule.RuleNames;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.core.ResolvableType;

/** Which properties there are, as the records of {@link RateLimitProperties} say. */
final class PropertySchema {

    private static final Pattern ELEMENT = Pattern.compile("\\[[^\\]]*]|[^.\\[\\]]+");
    private static final Pattern INDEX = Pattern.compile("\\[\\d+]");
    private static final Pattern NOT_ALPHANUMERIC = Pattern.compile("[^A-Za-z0-9]");

    private static final Pattern PLAN_NAME = Pattern.compile("[A-Za-z0-9-]+");

    private static final String PREFIX = "ratelimit";

    private PropertySchema() {}

    /** The part of a name that is the same in all its spellings. */
    static String uniform(String name) {
        return NOT_ALPHANUMERIC.matcher(name).replaceAll("").toLowerCase(Locale.ROOT);
    }

    /**
     * Checks one property.
     *
     * @param name its name as it is written
     * @param value its value as it is written
     * @return the rule that it belongs to; null if to none
     * @throws InvalidRuleException if it is ours, and nothing reads it
     */
    static @Nullable String check(String name, Object value) {
        List<String> elements =
                ELEMENT.matcher(name).results().map(result -> result.group()).toList();
        if (elements.isEmpty() || !uniform(elements.get(0)).equals(PREFIX)) {
            return null;
        }
        if (elements.size() == 1 && value.toString().isEmpty()) {
            // A heading whose properties are all commented out.
            return null;
        }
        Property property = new Property(name, value, elements);
        property.check(1, ResolvableType.forClass(RateLimitProperties.class));
        return elements.size() > 2 && uniform(elements.get(1)).equals("rules")
                ? elements.get(2)
                : null;
    }

    /** The names of the properties in a record, as they are written in YAML. */
    static List<String> names(Class<?> type) {
        return Arrays.stream(type.getRecordComponents())
                .map(component -> DataObjectPropertyName.toDashedForm(component.getName()))
                .toList();
    }

    /** Matches the uniform names of all properties in a record and below it. */
    static String pattern(Class<?> type) {
        return Arrays.stream(type.getRecordComponents())
                .map(PropertySchema::pattern)
                .collect(Collectors.joining("|", "(?:", ")"));
    }

    private static String pattern(RecordComponent component) {
        String name = uniform(component.getName());
        if (component.getType() == Map.class) {
            return name + "[a-z0-9]+" + pattern(genericType(component).getGeneric(1).toClass());
        }
        if (component.getType() != List.class) {
            return name;
        }
        Class<?> item = genericType(component).getGeneric(0).toClass();
        return item.isRecord() ? name + "\\d+" + pattern(item) : name + "\\d*";
    }

    private static ResolvableType genericType(RecordComponent component) {
        return ResolvableType.forType(component.getGenericType());
    }

    private record Property(String name, Object value, List<String> elements) {

        /** Checks the elements from an index on, which are to be something in that type. */
        void check(int index, ResolvableType type) {
            Class<?> raw = type.toClass();
            if (index == elements.size()) {
                checkValue(type);
            } else if (raw.isRecord()) {
                checkRecord(index, raw);
            } else if (raw == Map.class) {
                if (index == 2) {
                    checkRuleName(elements.get(index));
                } else {
                    checkPlanName(elements.get(index));
                }
                check(index + 1, type.getGeneric(1));
            } else if (raw == List.class) {
                checkIndex(index);
                check(index + 1, type.getGeneric(0));
            } else {
                throw invalid(
                        "'" + elements.get(index - 1) + "' is a single value.",
                        "Remove what stands below it.");
            }
        }

        /** Refuses a value where a group of properties belongs; the empty list is written as "". */
        private void checkValue(ResolvableType type) {
            Class<?> raw = type.toClass();
            Class<?> item = type.getGeneric(0).toClass();
            if (raw == Map.class) {
                throw invalid(
                        "It is '" + shown() + "', but has rules below it.",
                        "Give each of them a name, or remove it.");
            }
            boolean listOfGroups =
                    raw == List.class && item.isRecord() && !value.toString().isEmpty();
            if (raw.isRecord() || listOfGroups) {
                throw invalid(
                        "It is '" + shown() + "', but has properties below it.",
                        "Set some of "
                                + String.join(", ", names(listOfGroups ? item : raw))
                                + " there, or remove it.");
            }
        }

        private void checkRecord(int index, Class<?> type) {
            List<String> known = names(type);
            String element = elements.get(index);
            for (RecordComponent component : type.getRecordComponents()) {
                if (uniform(component.getName()).equals(uniform(element))) {
                    check(index + 1, genericType(component));
                    return;
                }
            }
            String action = "Use some of " + String.join(", ", known) + ".";
            if (type == RuleProperties.class && index + 1 < elements.size()) {
                action +=
                        " If '"
                                + elements.get(index - 1)
                                + "."
                                + element
                                + "' is meant to be the name of a rule: "
                                + RuleNames.ACTION;
            }
            throw invalid(
                    "There is no property '"
                            + element
                            + "' below "
                            + String.join(".", elements.subList(0, index)).replace(".[", "[")
                            + "; it is set to '"
                            + shown()
                            + "'."
                            + Nearest.question(element, known),
                    action);
        }

        private void checkRuleName(String element) {
            if (!RuleNames.isValid(element)) {
                throw invalid(
                        "'" + element.replaceAll("^\\[|]$", "") + "' cannot be the name of a rule.",
                        RuleNames.ACTION);
            }
        }

        /** Binding would leave other characters out, unless there are brackets around them. */
        private void checkPlanName(String element) {
            if (!element.startsWith("[") && !PLAN_NAME.matcher(element).matches()) {
                throw invalid(
                        "'" + element + "' loses some characters as the name of a plan.",
                        "Use only A-Z a-z 0-9 and '-', or write it as '[" + element + "]'.");
            }
        }

        private void checkIndex(int index) {
            if (!INDEX.matcher(elements.get(index)).matches()) {
                throw invalid(
                        "'" + elements.get(index - 1) + "' is a list.",
                        "Begin each of its items with a dash in YAML, or with "
                                + elements.get(index - 1)
                                + "[0] in a properties file.");
            }
        }

        private String shown() {
            return uniform(name).contains("secret") ? "******" : value.toString();
        }

        private InvalidRuleException invalid(String problem, String action) {
            return new InvalidRuleException(name, problem, action);
        }
    }
}

package io.trainyard.spec;

import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.deser.SettableBeanProperty;
import com.fasterxml.jackson.databind.deser.ValueInstantiator;
import com.fasterxml.jackson.databind.deser.impl.NullsConstantProvider;
import com.fasterxml.jackson.databind.deser.impl.PropertyValueBuffer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Arrays;

/// Constructs the records of a job. Fields that are missing or null get their defaults or are refused, as the
/// components are annotated. Components without annotation get null, 0 or false.
final class FieldDefaults extends ValueInstantiator.Delegating {
    private static final JsonMapper DEFAULTS =
            JsonMapper.builder().enable(JsonReadFeature.ALLOW_SINGLE_QUOTES).build();

    /// The default of a field.
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.PARAMETER)
    @interface Default {
        /// JSON; strings may have single quotes.
        String value();
    }

    /// A field without a default.
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.PARAMETER)
    @interface Required {
        /// The field's name in messages.
        String value();

        /// Whether evaluations do not have it; it is 0 then.
        boolean ofTraining() default false;
    }

    private FieldDefaults(ValueInstantiator constructor) {
        super(constructor);
    }

    static SimpleModule module() {
        return new SimpleModule() {
            @Override
            public void setupModule(SetupContext context) {
                context.addValueInstantiators((_, _, constructor) ->
                        constructor.canCreateFromObjectWith() ? new FieldDefaults(constructor) : constructor);
            }
        };
    }

    /// Annotated fields deserialize null as null; otherwise a primitive would be 0.
    @Override
    public SettableBeanProperty[] getFromObjectArguments(DeserializationConfig config) {
        return Arrays.stream(super.getFromObjectArguments(config))
                .map(field -> isAnnotated(field) ? field.withNullProvider(NullsConstantProvider.nuller()) : field)
                .toArray(SettableBeanProperty[]::new);
    }

    private static boolean isAnnotated(SettableBeanProperty field) {
        return field.getAnnotation(Default.class) != null || field.getAnnotation(Required.class) != null;
    }

    @Override
    public Object createFromObjectWith(
            DeserializationContext context, SettableBeanProperty[] fields, PropertyValueBuffer found)
            throws IOException {
        Object[] values = found.getParameters(fields);
        for (int i = 0; i < values.length; i++) {
            if (values[i] == null || !found.hasParameter(fields[i])) {
                Required required = fields[i].getAnnotation(Required.class);
                if (required != null
                        && required.ofTraining()
                        && Arrays.asList(values).contains(JobKind.EVALUATE)) {
                    values[i] = 0;
                } else if (required != null) {
                    throw context.instantiationException(
                            getValueClass(),
                            new InvalidJobException(required.value() + " is missing; give it a value"));
                }
                Default given = fields[i].getAnnotation(Default.class);
                if (given != null) {
                    JsonNode json = DEFAULTS.readTree(given.value());
                    values[i] = context.readTreeAsValue(json, fields[i].getType());
                }
            }
        }
        return super.createFromObjectWith(context, values);
    }
}

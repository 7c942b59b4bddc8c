import { ActionIcon, Button } from '@mantine/core'
import { getDefaultRegistry, withTheme } from '@rjsf/core'
import Templates from '@rjsf/mantine/lib/templates/index.js'
import CheckboxesWidget from '@rjsf/mantine/lib/widgets/CheckboxesWidget.js'
import CheckboxWidget from '@rjsf/mantine/lib/widgets/CheckboxWidget.js'
import RadioWidget from '@rjsf/mantine/lib/widgets/RadioWidget.js'
import SelectWidget from '@rjsf/mantine/lib/widgets/SelectWidget.js'
import TextareaWidget from '@rjsf/mantine/lib/widgets/TextareaWidget.js'
import type {
  ArrayFieldTemplateProps,
  BaseInputTemplateProps,
  ErrorSchema,
  FieldErrorProps,
  IconButtonProps,
  ObjectFieldTemplateProps,
  RJSFSchema,
  TitleFieldProps,
  ValidatorType,
  WidgetProps,
} from '@rjsf/utils'
import { ADDITIONAL_PROPERTY_FLAG, buttonId, canExpand, deepEquals, errorId } from '@rjsf/utils'
import type { JsonSchema } from '@toolgen/runtime'
import { mapSubschemas, parsePointer, prepareSchema, SchemaError } from '@toolgen/runtime/schema'
import { useMemo } from 'react'
import type { Validation } from '../api.js'
import { Icon } from './common.js'

type PreparedSchema = ReturnType<typeof prepareSchema>
type Fields = Readonly<Record<string, unknown>>

export interface SchemaFormProps {
  readonly schema: JsonSchema
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly issues?: Validation['issues']
  readonly disabled?: boolean
  /** Prefix for the HTML ids of the fields. Must be unique on the page. */
  readonly name: string
}

/**
 * Validator that selects the matching option of a union for a value. Does not compile schemas, because the security policy of the page forbids
 * generated code.
 */
class OptionValidator implements ValidatorType {
  readonly #prepared = new WeakMap<object, PreparedSchema | undefined>()

  isValid(schema: RJSFSchema, value: unknown, root: RJSFSchema): boolean {
    if (typeof schema === 'boolean') return schema
    if (!this.#prepared.has(schema)) this.#prepared.set(schema, prepared(schema, root))
    return this.#prepared.get(schema)?.validate(value).length === 0
  }

  // Reports no errors, because the server validates the arguments.
  validateFormData(): { errors: []; errorSchema: object } {
    return { errors: [], errorSchema: {} }
  }

  rawValidation(): { errors: [] } {
    return { errors: [] }
  }
}

function prepared(schema: object, root: Fields): PreparedSchema | undefined {
  const { $defs, definitions } = root
  try {
    return prepareSchema({
      ...($defs ? { $defs } : {}),
      ...(definitions ? { definitions } : {}),
      ...schema,
    } as JsonSchema)
  } catch (error) {
    if (error instanceof SchemaError) return undefined
    throw error
  }
}

/** Property that marks a schema as an option of a union. The menu of the union shows the titles of these schemas. */
const OPTION = 'x-option'

/**
 * Converts a JSON Schema to the older draft of the form library. Adds titles to the options of unions. Moves defaults to descriptions, because the
 * form library would fill in the defaults and thereby change the arguments.
 */
function formSchema(schema: JsonSchema): RJSFSchema {
  const convert = (each: boolean | Fields, path: readonly string[] = []): boolean | Fields => {
    if (typeof each === 'boolean') return each ? {} : each
    const { prefixItems, items, default: preset, ...others } = mapSubschemas(each, convert) as Fields
    const isOption = path[0] === 'oneOf' || path[0] === 'anyOf'
    const titled = {
      ...(isOption && { title: optionTitle(others), [OPTION]: true }),
      ...others,
      ...(preset !== undefined && { description: withDefault(descriptionOf(others, schema), preset) }),
      ...('const' in others && { readOnly: true }),
    }
    if (prefixItems !== undefined) return { ...titled, items: prefixItems, additionalItems: items ?? {} }
    return items === undefined ? titled : { ...titled, items }
  }
  const { title: _, description: __, ...converted } = convert(schema as Fields) as Fields
  return converted as RJSFSchema
}

function descriptionOf({ description, $ref }: Fields, root: JsonSchema): unknown {
  if (description !== undefined || typeof $ref !== 'string') return description
  return valueAt(root, [...(parsePointer($ref.replace(/^#/, '')) ?? []), 'description'])
}

function withDefault(description: unknown, preset: unknown): string {
  const text = JSON.stringify(preset)
  return description === undefined ? `Default: ${text}` : `${String(description)} (default: ${text})`
}

/** Returns a title for an option of a union: the constant properties of the option, e.g. `kind: card`, or its type. */
function optionTitle({ properties, type, const: constant, $ref, enum: values }: Fields): string {
  if (constant !== undefined) return String(constant)
  const constants = Object.entries((properties ?? {}) as Record<string, Fields>).flatMap(([name, property]) =>
    property['const'] === undefined ? [] : [`${name}: ${String(property['const'])}`],
  )
  if (constants.length > 0) return constants.join(', ')
  if (typeof $ref === 'string') return $ref.split('/').at(-1) ?? $ref
  if (Array.isArray(values)) return values.slice(0, 3).map(String).join(' | ')
  const names = Object.keys((properties ?? {}) as Fields)
  if (names.length > 0) return `{ ${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''} }`
  return Array.isArray(type) ? type.join(' | ') : String(type ?? 'any')
}

function errorsOf(issues: Validation['issues']): ErrorSchema {
  // Objects without a prototype, because a field can have the name `__proto__`.
  const root: Record<string, any> = Object.create(null)
  for (const { pointer, message } of issues) {
    let target = root
    for (const key of parsePointer(pointer) ?? []) {
      target[key] ??= Object.create(null)
      target = target[key]
    }
    target['__errors'] = [...(target['__errors'] ?? []), message]
  }
  return root
}

function TitleField({ id, title, required }: TitleFieldProps) {
  return (
    <div id={id} className="form-title">
      {title}
      {required === true && <span className="form-required"> *</span>}
    </div>
  )
}

type Path = readonly (string | number)[]

/** Value of the whole form and its change listener, so that a template of one field can change other fields. */
interface FormContext {
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<any>((parent, key) => parent?.[key], value)
}

function without(value: any, [key, ...rest]: Path): unknown {
  if (value === null || typeof value !== 'object' || key === undefined) return value
  const copy = Array.isArray(value) ? [...value] : { ...value }
  if (rest.length === 0) delete copy[key]
  else copy[key] = without(copy[key], rest)
  return copy
}

/**
 * Removes objects and arrays that the form library has added to a changed value. Keeps added constants in existing objects, because a person cannot
 * enter constants.
 *
 * @param before value of the form library before the change
 * @param value value of the page before the change
 */
function withoutAdditions(changed: unknown, before: unknown, value: unknown): unknown {
  if (!isObject(changed) || !isObject(value)) return changed
  if (Array.isArray(changed)) {
    if (!Array.isArray(value) || changed.length !== value.length) return changed
    return changed.map((item, index) => withoutAdditions(item, valueAt(before, [index]), value[index]))
  }
  return Object.fromEntries(
    Object.entries(changed).flatMap(([key, child]) => {
      const childBefore = valueAt(before, [key])
      if (key in value) return [[key, withoutAdditions(child, childBefore, valueAt(value, [key]))]]
      return isObject(child) && deepEquals(child, childBefore) ? [] : [[key, child]]
    }),
  )
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function ObjectTemplate(props: ObjectFieldTemplateProps<any, RJSFSchema, FormContext>) {
  const { title, description, properties, fieldPathId, required, schema, uiSchema, registry, formData } = props
  const { onAddProperty, disabled, readonly } = props
  const { AddButton } = registry.templates.ButtonTemplates
  const { path } = fieldPathId
  const isRoot = path.length === 0
  const last = path.at(-1)
  const isOptional = required !== true && typeof last === 'string' && !(ADDITIONAL_PROPERTY_FLAG in schema)
  const { value, onChange } = registry.formContext
  const isPresent = valueAt(value, path) !== undefined
  const shownTitle = typeof last === 'number' ? `${last + 1}.` : title
  const hasTitle = shownTitle !== '' && !(OPTION in schema)
  const content = (
    <>
      {description !== undefined && description !== '' && !isRoot && <div className="form-text">{description}</div>}
      {properties
        .filter(({ hidden }) => !hidden)
        .map(({ name, content: field }) => (
          <div key={name}>{field}</div>
        ))}
      {isRoot && properties.length === 0 && <p className="dim">This tool has no arguments.</p>}
      {canExpand(schema, uiSchema, formData) && (
        <AddButton
          id={buttonId(fieldPathId, 'add')}
          disabled={disabled || readonly}
          onClick={onAddProperty}
          className="form-add"
          uiSchema={uiSchema}
          registry={registry}
        />
      )}
      {isOptional && isPresent && (
        <Button
          className="form-add"
          size="compact-xs"
          variant="default"
          leftSection={<Icon name="cross" size={12} />}
          disabled={disabled || readonly}
          onClick={() => onChange(without(value, path))}
        >
          Remove {title}
        </Button>
      )}
    </>
  )
  if (isRoot) return <div className="form-fields">{content}</div>
  return (
    <fieldset className={isOptional && !isPresent ? 'form-group form-absent' : 'form-group'}>
      {hasTitle && (
        <legend className="form-title">
          {shownTitle}
          {required === true && typeof last !== 'number' && <span className="form-required"> *</span>}
        </legend>
      )}
      <div className="form-fields">{content}</div>
    </fieldset>
  )
}

function ArrayTemplate({ title, schema, required, items, canAdd, onAddClick, ...props }: ArrayFieldTemplateProps) {
  const { disabled, readonly, registry, uiSchema, fieldPathId } = props
  const { AddButton } = registry.templates.ButtonTemplates
  return (
    <fieldset className="form-group">
      <legend className="form-title">
        {title}
        {required === true && <span className="form-required"> *</span>}
      </legend>
      <div className="form-fields">
        {schema.description !== undefined && <div className="form-text">{schema.description}</div>}
        {items}
        {canAdd && (
          <AddButton
            id={buttonId(fieldPathId, 'add')}
            className="form-add"
            disabled={disabled || readonly}
            onClick={onAddClick}
            uiSchema={uiSchema}
            registry={registry}
          />
        )}
      </div>
    </fieldset>
  )
}

function FieldErrors({ errors = [], schema, fieldPathId }: FieldErrorProps) {
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (errors.length === 0) return null
  // Inputs show their own errors; only objects, arrays and unions have no input.
  const isShown = type === 'object' || type === 'array' || schema.anyOf !== undefined || schema.oneOf !== undefined
  return (
    <div id={errorId(fieldPathId)} className="form-error" hidden={!isShown}>
      {errors.map((error) => (
        <div key={String(error)}>{error}</div>
      ))}
    </div>
  )
}

function AddButton({ id, onClick, disabled }: IconButtonProps) {
  return (
    <Button
      id={id}
      className="form-add"
      size="compact-xs"
      variant="default"
      leftSection={<Icon name="plus" size={12} />}
      disabled={disabled}
      onClick={onClick}
    >
      Add
    </Button>
  )
}

function RemoveButton({ id, onClick, disabled }: IconButtonProps) {
  return (
    <ActionIcon id={id} variant="subtle" color="gray" aria-label="Remove" disabled={disabled} onClick={onClick}>
      <Icon name="cross" size={14} />
    </ActionIcon>
  )
}

/**
 * Input for strings and numbers. Numbers use a text input, because a number input changes or drops invalid text. An absent value becomes an empty
 * text, because React would otherwise keep the previous text.
 */
function BaseInput(props: BaseInputTemplateProps) {
  const { schema, options, value = '' } = props
  const isNumber = schema.type === 'number' || schema.type === 'integer'
  const { BaseInputTemplate } = Templates
  if (BaseInputTemplate === undefined) return null
  return <BaseInputTemplate {...props} value={value} options={isNumber ? { ...options, inputType: 'text' } : options} />
}

/** Menu with the description of its field. The menu of the form library omits the description. */
function Select(props: WidgetProps) {
  const { schema, options } = props
  return <SelectWidget {...props} options={{ description: schema.description, ...options }} />
}

const { TextWidget } = getDefaultRegistry().widgets

/** Form with the inputs of Mantine. Times use a text input, because a time picker would need a time zone. */
const Form = withTheme<any, RJSFSchema, FormContext>({
  templates: {
    ...Templates,
    BaseInputTemplate: BaseInput,
    TitleFieldTemplate: TitleField,
    ObjectFieldTemplate: ObjectTemplate,
    ArrayFieldTemplate: ArrayTemplate,
    FieldErrorTemplate: FieldErrors,
    ButtonTemplates: { ...Templates.ButtonTemplates, AddButton, RemoveButton },
  },
  widgets: {
    CheckboxWidget,
    CheckboxesWidget,
    RadioWidget,
    SelectWidget: Select,
    TextareaWidget,
    ...(TextWidget && { DateTimeWidget: TextWidget, TimeWidget: TextWidget }),
  },
})

export default function SchemaForm({ schema, value, onChange, issues = [], disabled, name }: SchemaFormProps) {
  const converted = useMemo(() => formSchema(schema), [schema])
  const validator = useMemo(() => new OptionValidator(), [])
  const context = useMemo(() => ({ value, onChange }), [value, onChange])
  const errors = useMemo(() => errorsOf(issues), [issues])
  return (
    <Form
      schema={converted}
      uiSchema={UI}
      formData={value}
      formContext={context}
      validator={validator}
      extraErrors={errors}
      disabled={disabled}
      idPrefix={name}
      tagName="div"
      noValidate
      noHtml5Validate
      showErrorList={false}
      useFallbackUiForUnsupportedType
      experimental_defaultFormStateBehavior={DEFAULTS}
      // Ignores changes without an id: the form library has only added defaults.
      onChange={({ formData, schemaUtils }, id) => {
        if (id === undefined) return
        onChange(withoutAdditions(formData, schemaUtils.getDefaultFormState(converted, value), value))
      }}
    >
      {/* Replaces the submit button of the form library, because the page has its own button. */}
      <span hidden />
    </Form>
  )
}

const UI = { 'ui:submitButtonOptions': { norender: true } }
const DEFAULTS = { emptyObjectFields: 'skipEmptyDefaults', arrayMinItems: { populate: 'requiredOnly' } } as const

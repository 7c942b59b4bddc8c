import { isFields } from '../codec/json/kind.js'
import { parseJson } from '../codec/json/parse.js'
import type { JsonSchema, JsonSchemaObject, JsonText } from '../contract/json.js'
import type { AnswerForm } from '../contract/model-driver.js'
import { argumentRestorer } from '../projection/openai/restore-arguments.js'
import { strictProjection } from '../projection/openai/strict-projection.js'
import { plainSchema } from '../projection/schema/plain-schema.js'

/** A `response_format`, with the way back. */
export interface AnswerFormat {
  readonly format: {
    readonly type: 'json_schema'
    readonly json_schema: { readonly name: string; readonly schema: JsonSchemaObject; readonly strict: boolean }
  }
  /** The answer that a model wrote, as its schema takes it. */
  restore(json: JsonText): JsonText
}

/** Chat completions take objects alone: any other answer is a field of one, under this name. */
const FIELD = 'answer'

/** Says how a structured answer is asked for; each form is projected once. */
export function answerFormatter(strict: boolean): (form: AnswerForm) => AnswerFormat {
  const known = new WeakMap<AnswerForm, AnswerFormat>()
  return (form) => {
    const format = known.get(form) ?? answerFormat(form, strict)
    known.set(form, format)
    return format
  }
}

function answerFormat({ name, schema }: AnswerForm, strict: boolean): AnswerFormat {
  const type = isFields(schema) ? schema.type : 'any'
  const held = inField(schema)
  if (strict) {
    const own = type === 'object' || type === undefined ? strictFormat(name, schema) : undefined
    // A union of objects is no object for them; held in a field it may have a strict form.
    const strictly = own ?? strictFormat(name, held)
    if (strictly !== undefined) return strictly === own ? own : outOfField(strictly)
  }
  return type === 'object' ? looseFormat(name, schema) : outOfField(looseFormat(name, held))
}

function strictFormat(name: string, schema: JsonSchema): AnswerFormat | undefined {
  const { strict } = strictProjection(schema)
  if (strict === undefined) return undefined
  return {
    format: { type: 'json_schema', json_schema: { name, schema: strict.parameters, strict: true } },
    restore: argumentRestorer({ arguments: schema }),
  }
}

function looseFormat(name: string, schema: JsonSchema): AnswerFormat {
  const plain = plainSchema(schema)
  return {
    format: { type: 'json_schema', json_schema: { name, schema: isFields(plain) ? plain : {}, strict: false } },
    restore: (json) => json,
  }
}

/** An object that holds an answer; definitions stay where references look for them. */
function inField(schema: JsonSchema): JsonSchemaObject {
  const { $defs, definitions, ...answer } = isFields(schema) ? schema : {}
  return {
    type: 'object',
    properties: { [FIELD]: isFields(schema) ? answer : schema },
    required: [FIELD],
    additionalProperties: false,
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
  }
}

/** The format of an answer that is held in a field. */
function outOfField(held: AnswerFormat): AnswerFormat {
  return {
    format: held.format,
    restore: (json) => {
      const restored = held.restore(json)
      const parsed = parseJson(restored)
      // Without the field the text stays as it is: the schema says what is wrong with it.
      if (!parsed.ok || !isFields(parsed.value) || !Object.hasOwn(parsed.value, FIELD)) return restored
      return JSON.stringify(parsed.value[FIELD])
    },
  }
}

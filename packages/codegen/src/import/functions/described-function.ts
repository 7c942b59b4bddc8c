import { isObject, own } from '../../schema/json/json.js'
import type { Json, SchemaObject } from '../../schema/json/json-schema.js'
import type { SourcePart } from './source-finding.js'

/** A function as somebody described it to a model. */
export interface DescribedFunction {
  readonly name: string
  readonly title?: string
  readonly description?: string
  /** The schema of its arguments and the key under which it stands; absent: it takes none. */
  readonly parameters?: DescribedPart
  /** The schema of what it answers; absent: nothing is said. */
  readonly response?: DescribedPart
  /** Examples of its arguments. */
  readonly examples?: DescribedPart
  readonly at: SourcePart
}

/** A part of a description, and the key under which it stands. */
export interface DescribedPart {
  readonly key: string
  readonly json: Json
}

/** What the forms call the schema of the arguments: OpenAI and Gemini, Anthropic, Gemini again, and MCP and the Vercel AI SDK. */
const parameters = ['parameters', 'input_schema', 'parametersJsonSchema', 'parameters_json_schema', 'inputSchema']
/** What they call the schema of the result: Gemini, and MCP. */
const responses = ['response', 'responseJsonSchema', 'response_json_schema', 'outputSchema']
/** What Anthropic calls the examples of the arguments, and its SDKs. */
const examples = ['input_examples', 'inputExamples']

/** Whether something is meant as the description of a function: it says what it takes, or is of no other kind. */
export function isDescription(value: SchemaObject): boolean {
  if (partUnder(value, parameters) !== undefined) return true
  const type = own(value, 'type')
  return Object.hasOwn(value, 'name') && (type === undefined || type === 'function')
}

/** Reads the description of a function in any form; `undefined` where it has no name. */
export function readDescription(value: SchemaObject, at: SourcePart): DescribedFunction | undefined {
  const name = textOf(value, 'name')
  if (name === undefined) return undefined
  const title = textOf(value, 'title')
  const description = textOf(value, 'description')
  const takes = partUnder(value, parameters)
  const answers = partUnder(value, responses)
  const shown = partUnder(value, examples)
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(takes !== undefined && { parameters: takes }),
    ...(answers !== undefined && isObject(answers.json) && { response: answers }),
    ...(shown !== undefined && { examples: shown }),
    at,
  }
}

/** A description in the one form in which snapshots hold it, whatever form it had. */
export function writtenDescription(described: DescribedFunction): SchemaObject {
  const { name, title, description, parameters: takes, response, examples: shown } = described
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(takes !== undefined && { parameters: takes.json }),
    ...(response !== undefined && { response: response.json }),
    ...(shown !== undefined && { input_examples: shown.json }),
  }
}

function partUnder(value: SchemaObject, keys: readonly string[]): DescribedPart | undefined {
  for (const key of keys) {
    const json = own(value, key)
    if (json !== undefined && json !== null) return { key, json }
  }
  return undefined
}

/** A text that says something. */
function textOf(object: SchemaObject, key: string): string | undefined {
  const value = own(object, key)
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

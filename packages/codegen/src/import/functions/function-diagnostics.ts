import type { Diagnostic } from '../../diagnostics/diagnostic.js'
import { pointerOf } from '../../schema/json/pointer.js'
import { atPointer } from '../../schema/json/schema-fault.js'
import type { ToolSource } from '../tool-diagnostics.js'

/** Descriptions of functions as the source of tools. */
export const descriptions: ToolSource = {
  subject: 'The source',
  fix: 'Correct the description, and import again',
  rename: 'fromService(toolset, client, { rename: { tool: "name" } })',
}

const example = '{ "name": "get_weather", "description": "...", "parameters": { "type": "object", "properties": {} } }'

/** A source that describes no function, or none that can be imported. */
export function noFunctions(shown: string): Diagnostic {
  return {
    code: 'TG6020',
    severity: 'error',
    message: `${shown} describes no function that can be imported.`,
    next: `Give tools of OpenAI, Anthropic or Gemini, or a list of functions such as \`${example}\`.`,
  }
}

/** Something in the place of a function that describes none. */
export function noDescription(keys: readonly (string | number)[]): Diagnostic {
  return {
    code: 'TG6020',
    severity: 'error',
    message: `What stands ${atPointer(pointerOf(keys))} is no description of a function: it has no name.`,
    next: `Give each function a name: \`${example}\`.`,
  }
}

/** A tool of another kind, such as a search that the provider runs itself. */
export function noFunction(keys: readonly (string | number)[]): Diagnostic {
  return {
    code: 'TG6021',
    severity: 'warning',
    message: `What stands ${atPointer(pointerOf(keys))} is no function and is left out.`,
    next: 'Nothing, if the provider runs this tool itself; else give it a name and a schema of its arguments.',
  }
}

/** That as many further parts are like those of which a finding was told. */
export function andMore(finding: Diagnostic, count: number): Diagnostic {
  const parts = count === 1 ? '1 more part of the source is' : `${count} more parts of the source are`
  return { ...finding, message: `${parts} like this: no description of a function.` }
}

/** A function whose very description stood there before. */
export function repeated(name: string): Diagnostic {
  return {
    code: 'TG6002',
    severity: 'note',
    message: `\`${name}\` is described twice in the same way; it is taken once.`,
    next: 'Leave one of them out.',
  }
}

/** A function with the name of another one. */
export function sameName(name: string, wireName: string): Diagnostic {
  return {
    code: 'TG6022',
    severity: 'warning',
    message: `\`${name}\` is described more than once, each time differently; models see this one as \`${wireName}\`.`,
    next: 'Give each function a name of its own, and import again.',
  }
}

/** An example of a function's arguments that its schema refuses. */
export function exampleLeftOut(name: string, misfit: string): Diagnostic {
  return {
    code: 'TG6023',
    severity: 'warning',
    message: `An example of \`${name}\` is left out: ${misfit}.`,
    next: 'Correct the example, or the schema, and import again.',
  }
}

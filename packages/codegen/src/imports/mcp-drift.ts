import { deepEqual, pointerOf } from '@toolgen/runtime/schema'
import { defined } from '../defined.js'
import type { Installed } from '../dev/installed-runtime.js'
import { own } from '../schema/json-schema.js'
import { changedText, type NoteChange, noteChanged, notesChanged } from '../schema/notes.js'
import type { CapturedItem, CapturedTool, McpCapture } from './mcp-capture.js'

export interface ToolChange {
  /** Name of a tool, prompt or resource template on the server. `resources` if the server has started or stopped offering resources. */
  readonly tool: string
  readonly prompt?: true
  readonly resourceTemplate?: true
  readonly resources?: true
  readonly kind: string
  readonly side?: string
  /** JSON Pointer in the schema of `side`, or in the tool definition of the server if `side` is absent. */
  readonly path?: string
  readonly message: string
}

export function toolChanges(
  drift: Installed,
  captured: readonly CapturedTool[],
  live: readonly CapturedTool[],
): readonly ToolChange[] {
  const [before, after] = [captured, live].map((tools) =>
    tools.map(({ name, description, inputSchema, outputSchema }) =>
      defined({ name, inputSchema, description, outputSchema }),
    ),
  )
  const { changes } = Reflect.apply(drift, undefined, [before, after]) as { readonly changes: readonly ToolChange[] }
  const described = captured.flatMap((tool) => {
    const now = live.find(({ name }) => name === tool.name)
    return now === undefined ? [] : describedChanges(tool, now)
  })
  const isDetailed = ({ kind, tool }: ToolChange): boolean =>
    kind === 'described' && described.some((change) => change.tool === tool)
  return [...changes.filter((change) => !isDetailed(change)), ...described]
}

export function offeredChanges(captured: McpCapture, live: McpCapture): readonly ToolChange[] {
  const isRecorded = captured.prompts !== undefined
  const change = (kind: string, message: string): ToolChange => ({ tool: 'resources', resources: true, kind, message })
  const { prompts, resourceTemplates } = live
  return [
    // Without a list of prompts or templates, a warning says why.
    ...(isRecorded && prompts !== undefined ? listChanges('prompt', captured.prompts, prompts) : []),
    ...(isRecorded && resourceTemplates !== undefined
      ? listChanges('resourceTemplate', captured.resourceTemplates ?? [], resourceTemplates)
      : []),
    ...(captured.resources === true && live.resources === undefined
      ? [change('removed', 'The server no longer offers resources.')]
      : []),
    ...(isRecorded && captured.resources === undefined && live.resources === true
      ? [change('added', 'The server now offers resources.')]
      : []),
  ]
}

function listChanges(
  list: 'prompt' | 'resourceTemplate',
  captured: readonly CapturedItem[],
  live: readonly CapturedItem[],
): readonly ToolChange[] {
  const [noun, facts] =
    list === 'prompt'
      ? (['Prompt', { prompt: true }] as const)
      : (['Resource template', { resourceTemplate: true }] as const)
  const change = (name: string, kind: string, what: string): ToolChange => {
    return { tool: name, ...facts, kind, message: `${noun} '${name}' ${what}.` }
  }
  return [
    ...captured.flatMap(({ name, raw }) => {
      const now = live.find((item) => item.name === name)
      if (now === undefined) return [change(name, 'removed', 'was removed')]
      const keys = [...new Set([...Object.keys(raw), ...Object.keys(now.raw)])]
      const changed = keys.filter((key) => !deepEqual(own(raw, key), own(now.raw, key)))
      if (changed.length === 0) return []
      const kind = changed.some((key) => key === 'arguments' || key === 'uriTemplate') ? 'changed' : 'described'
      return [change(name, kind, `changed: ${changed.map((key) => `\`${key}\``).join(', ')}`)]
    }),
    ...live
      .filter(({ name }) => !captured.some((item) => item.name === name))
      .map(({ name }) => change(name, 'added', 'was added')),
  ]
}

export function describedChanges(before: CapturedTool, after: CapturedTool): readonly ToolChange[] {
  const tool = before.name
  const textOf = ({ keyword, before: was, after: is }: NoteChange): string => changedText(keyword, was, is)
  const annotations = new Set([...Object.keys(before.annotations), ...Object.keys(after.annotations)])
  // A title in the annotations is reported as the tool's title.
  annotations.delete('title')
  const notes = [
    ...noteChanged('description', '', before.description, after.description),
    ...noteChanged('title', '', before.title, after.title),
    ...[...annotations].flatMap((key) =>
      noteChanged(key, '/annotations', own(before.annotations, key), own(after.annotations, key)),
    ),
  ]
  const sides = [
    ['arguments', `Arguments of '${tool}'`, before.inputSchema, after.inputSchema],
    ['result', `Result of '${tool}'`, before.outputSchema, after.outputSchema],
  ] as const
  return [
    ...notes.map((note) => {
      const message = `Tool '${tool}': ${textOf(note)}.`
      return { tool, kind: 'described', path: note.path + pointerOf([note.keyword]), message }
    }),
    ...sides.flatMap(([side, subject, was, is]) =>
      notesChanged(was, is, '').map((note) => {
        const { path } = note
        const message = `${subject}${path === '' ? '' : `, at ${path}`}: ${textOf(note)}.`
        return { tool, kind: 'described', side, path, message }
      }),
    ),
  ]
}

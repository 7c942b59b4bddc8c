import { deepEqual, pointerOf } from '@toolgen/runtime/schema'
import { defined } from '../defined.js'
import type { Installed } from '../dev/installed-runtime.js'
import { own } from '../schema/json-schema.js'
import { changedText, type NoteChange, noteChanged, notesChanged } from '../schema/notes.js'
import type { CapturedPrompt, CapturedTool } from './mcp-capture.js'

/** A difference between an imported tool or prompt and the current one of its server. */
export interface ToolChange {
  /** Name of the tool or prompt on its MCP server. */
  readonly tool: string
  /** `true` for a prompt; absent for a tool. */
  readonly prompt?: true
  readonly kind: string
  /** Changed schema, `arguments` or `result`; absent for the tool as a whole. */
  readonly side?: string
  /** JSON Pointer into the changed schema. If `side` is absent, JSON Pointer into the tool as the server lists it. */
  readonly path?: string
  readonly message: string
}

/** Compares the tools of a server with the imported ones. `drift` is `mcpDrift` of the installed runtime. */
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

/** Compares the prompts of a server with the imported ones. */
export function promptChanges(
  captured: readonly CapturedPrompt[],
  live: readonly CapturedPrompt[],
): readonly ToolChange[] {
  const change = (tool: string, kind: string, message: string): ToolChange => ({ tool, prompt: true, kind, message })
  return [
    ...captured.flatMap(({ name, raw }) => {
      const now = live.find((prompt) => prompt.name === name)
      if (now === undefined) return [change(name, 'removed', `Prompt '${name}' was removed.`)]
      const keys = [...new Set([...Object.keys(raw), ...Object.keys(now.raw)])]
      const changed = keys.filter((key) => !deepEqual(own(raw, key), own(now.raw, key)))
      if (changed.length === 0) return []
      const kind = changed.includes('arguments') ? 'changed' : 'described'
      return [change(name, kind, `Prompt '${name}' changed: ${changed.map((key) => `\`${key}\``).join(', ')}.`)]
    }),
    ...live
      .filter(({ name }) => !captured.some((prompt) => prompt.name === name))
      .map(({ name }) => change(name, 'added', `Prompt '${name}' was added.`)),
  ]
}

/** Returns the changed texts of a tool: its description, title and annotations, and annotations in its schemas. */
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

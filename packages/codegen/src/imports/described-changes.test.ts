import { describe, expect, it } from 'vitest'
import { readCapture } from './mcp-capture.js'
import { describedChanges } from './mcp-drift.js'

/** Returns the reported text changes between two versions of a tool. */
function told(was: object, is: object): readonly string[] {
  const [before, now] =
    readCapture({ tools: [was, is].map((tool) => ({ name: 't', ...tool })) }, 'x').value?.tools ?? []
  if (before === undefined || now === undefined) throw new Error('no tools')
  return describedChanges(before, now).map(({ side = 'tool', path, message }) => `${side} ${path} - ${message}`)
}

describe('what is said otherwise of a tool', () => {
  it('is shown as it was and as it is', () => {
    expect(told({ description: 'Read.', title: 'R' }, { description: 'Read\nall.', title: 'R' })).toEqual([
      `tool /description - Tool 't': description changed from "Read." to "Read\\nall.".`,
    ])
    const annotations = { readOnlyHint: false, title: 'A' }
    expect(told({ annotations }, { annotations: { readOnlyHint: true, openWorldHint: true } })).toEqual([
      `tool /title - Tool 't': title was removed: "A".`,
      "tool /annotations/readOnlyHint - Tool 't': readOnlyHint changed from false to true.",
      "tool /annotations/openWorldHint - Tool 't': openWorldHint was added: true.",
    ])
  })

  it('is the part of a long text that differs', () => {
    const text = 'Reads a file. '.repeat(20)
    const [change = ''] = told({ description: `${text}Old.${text}` }, { description: `${text}New.${text}` })
    expect(change).toMatch(/changed from "….{20}Old\..*…" to "….{20}New\..*…"\.$/)
    expect(change.length).toBeLessThan(300)
  })

  it('is what notes in schemas say, at their place, and no property that has the name of a note', () => {
    const schema = (description: string, more: object = {}) => ({
      type: 'object',
      properties: { description: { type: 'string', description }, ...more },
      $defs: { A: { anyOf: [{ title: 'x' }, { title: description }] } },
      enum: [{ description }],
    })
    const was = { inputSchema: schema('a', { title: { type: 'string' } }), outputSchema: { title: 'O' } }
    expect(told(was, { inputSchema: schema('b'), outputSchema: { title: 'P' } })).toEqual([
      `arguments /properties/description - Arguments of 't', at /properties/description: description changed from "a" to "b".`,
      `arguments /$defs/A/anyOf/1 - Arguments of 't', at /$defs/A/anyOf/1: title changed from "a" to "b".`,
      `result  - Result of 't': title changed from "O" to "P".`,
    ])
    expect(told(was, was)).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { readCapture } from './mcp-capture.js'
import { describedChanges } from './mcp-drift.js'

/** What is told of a tool that was one and is another. */
function told(was: object, is: object): readonly string[] {
  const [before, now] =
    readCapture({ tools: [was, is].map((tool) => ({ name: 't', ...tool })) }, 'x').value?.tools ?? []
  if (before === undefined || now === undefined) throw new Error('no tools')
  return describedChanges(before, now).map(({ side = 'tool', path, message }) => `${side} ${path} - ${message}`)
}

describe('what is said otherwise of a tool', () => {
  it('is shown as it was and as it is', () => {
    expect(told({ description: 'Read.', title: 'R' }, { description: 'Read\nall.', title: 'R' })).toEqual([
      `tool /description - The tool 't' is described otherwise: description was "Read." and is "Read\\nall.".`,
    ])
    const annotations = { readOnlyHint: false, title: 'A' }
    expect(told({ annotations }, { annotations: { readOnlyHint: true, openWorldHint: true } })).toEqual([
      `tool /title - The tool 't' is described otherwise: title is gone, "A".`,
      "tool /annotations/readOnlyHint - The tool 't' is described otherwise: readOnlyHint was false and is true.",
      "tool /annotations/openWorldHint - The tool 't' is described otherwise: openWorldHint is new, true.",
    ])
  })

  it('is the part of a long text that differs', () => {
    const text = 'Reads a file. '.repeat(20)
    const [change = ''] = told({ description: `${text}Old.${text}` }, { description: `${text}New.${text}` })
    expect(change).toMatch(/was "….{20}Old\..*…" and is "….{20}New\..*…"\.$/)
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
      `arguments /properties/description - The arguments of 't' are described otherwise at /properties/description: description was "a" and is "b".`,
      `arguments /$defs/A/anyOf/1 - The arguments of 't' are described otherwise at /$defs/A/anyOf/1: title was "a" and is "b".`,
      `result  - The result of 't' is described otherwise: title was "O" and is "P".`,
    ])
    expect(told(was, was)).toEqual([])
  })
})

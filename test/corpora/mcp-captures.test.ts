import { describe, expect, it } from 'vitest'
import { exampleOf } from '../../packages/runtime/src/schema/examples.js'

import { hasData } from '../data.js'
import { counted, exampleVerdict, imported, payloadOf, resultOf } from './imported.fixture.js'
import { captures } from './mcp.fixture.js'

const tools = captures.flatMap((capture) => capture.tools)

describe.skipIf(!hasData)('Captures of MCP servers (needs the data folder)', () => {
  const inputs = tools.map(({ inputSchema }) => imported(inputSchema))
  // A tool that describes no result answers JSON of any kind.
  const results = tools.map(({ outputSchema = true }) => imported(outputSchema, 'output'))

  it('are 30, with 609 tools of which 59 describe their result', () => {
    const described = tools.filter(({ outputSchema }) => outputSchema !== undefined)
    expect([captures.length, tools.length, described.length]).toEqual([30, 609, 59])
  })

  it('import all 668 schemas as they are: nothing is repaired or doubted', () => {
    expect([...inputs, ...results].flatMap(({ diagnostics }) => diagnostics)).toEqual([])
  })

  it('give 609 payload codecs, and as many examples that decode', () => {
    expect(counted(inputs.map(exampleVerdict))).toEqual({ decodes: 609 })
  })

  it('give 609 result codecs, and as many examples that decode and are written again', () => {
    const written = results.map((result) => resultOf(result).encodeValue(exampleOf(result.schema)).ok)
    expect(counted(written.map(String))).toEqual({ true: 609 })
  })

  it('refuse for all 609 tools arguments that are no object', () => {
    const verdicts = inputs.map((input) => payloadOf(input).decode('[]').ok)
    expect(counted(verdicts.map(String))).toEqual({ false: 609 })
  })
})

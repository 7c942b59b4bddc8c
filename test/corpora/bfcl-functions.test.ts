import { describe, expect, it } from 'vitest'
import { hasData } from '../data.js'
import { functions, importedFunctions } from './bfcl.fixture.js'
import { counted, exampleVerdict } from './imported.fixture.js'

/** What comes of the functions. */
const forms = {
  // One function requires a whole number out of a list of texts: nothing can be sent to it.
  parameters: { repairs: {}, examples: { decodes: 1351, none: 1 } },
  originalParameters: {
    repairs: { 'TG3030 note': 1649, 'TG3031 warning': 110, 'TG3032 warning': 26, 'TG3033 note': 5 },
    examples: { decodes: 1352 },
  },
} as const

describe.skipIf(!hasData)('functions of the Berkeley Function Calling Leaderboard (needs the data folder)', () => {
  it('are 1,352', () => {
    expect(functions).toHaveLength(1352)
  })

  describe.each(['parameters', 'originalParameters'] as const)('%s', (part) => {
    const { repairs, examples } = forms[part]
    const schemas = [...importedFunctions(part).values()]

    it('are all imported, every repair is reported', () => {
      const diagnostics = schemas.flatMap(({ diagnostics }) => diagnostics)
      expect(schemas).toHaveLength(1352)
      expect(counted(diagnostics.map(({ code, severity }) => `${code} ${severity}`))).toEqual(repairs)
    })

    it(`give 1,352 codecs and ${examples.decodes} examples that decode`, () => {
      expect(counted(schemas.map(exampleVerdict))).toEqual(examples)
    })
  })
})

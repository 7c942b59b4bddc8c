import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { reservedNames } from './reserved-names.js'

describe('the reserved names', () => {
  it('hold everything that generated code can import from the runtime', () => {
    const entry = readFileSync(new URL('../../../runtime/src/codegen/v1.ts', import.meta.url), 'utf8')
    const exported = [...entry.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, names = '']) =>
      names.split(',').map((name) => name.replace('type ', '').trim()),
    )
    expect(exported.length).toBeGreaterThan(40)
    expect(exported.filter((name) => name !== '' && !reservedNames.has(name))).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { checkSyntax } from './syntax-gate.js'

describe('the syntax gate', () => {
  it('lets TypeScript pass, whatever it imports', async () => {
    const text = "import type { A } from './missing.js'\nexport const a: A = { ['__proto__']: 1 }\n"
    expect(await checkSyntax([{ path: 'a.ts', text }])).toEqual([])
  })

  it('names the file and the place of what is no TypeScript', async () => {
    const faults = await checkSyntax([
      { path: 'good.ts', text: 'export const a = 1\n' },
      { path: 'toolsets/orders/types.ts', text: 'export const b = 1\nexport const c: = 2\n' },
    ])
    expect(faults).toMatchObject([
      {
        code: 'TG9001',
        severity: 'error',
        message: expect.stringMatching(/^The generated file toolsets\/orders\/types\.ts:2:17 is no TypeScript: /),
      },
    ])
  })
})

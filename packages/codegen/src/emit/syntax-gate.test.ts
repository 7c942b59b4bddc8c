import { describe, expect, it } from 'vitest'
import { checkSyntax } from './syntax-gate.js'

describe('the syntax gate', () => {
  it('lets TypeScript pass, whatever it imports', async () => {
    const text = "import type { A } from './missing.js'\nexport const a: A = { ['__proto__']: 1 }\n"
    expect(checkSyntax([{ path: 'a.ts', text }])).toEqual([])
  })

  it('lets JavaScript pass, with its types beside it', async () => {
    const files = [
      { path: 'codecs.js', text: 'export const a = (v, m) => v && m\n' },
      { path: 'codecs.d.ts', text: 'export declare const a: (v: number, m: boolean) => boolean\n' },
    ]
    expect(checkSyntax(files)).toEqual([])
  })

  it.each([
    ['codecs.js', 'export const a = 1\nexport const b: number = 2\n', 'JavaScript'],
    ['codecs.js', 'import type { A } from "./a.js"\n', 'JavaScript'],
    ['codecs.js', 'export const a =\n', 'JavaScript'],
    ['codecs.d.ts', 'export declare const a: \n', 'TypeScript'],
    ['codecs.d.ts', 'export declare const a: Codec<types.A\n', 'TypeScript'],
  ])('names %s of the text %j as no %s', async (path, text, language) => {
    const beside = { path: path === 'codecs.js' ? 'codecs.d.ts' : 'codecs.js', text: 'export {}\n' }
    const faults = checkSyntax([{ path, text }, beside])
    expect(faults.length).toBeGreaterThan(0)
    for (const { message } of faults) {
      expect(message).toMatch(new RegExp(`^The generated file ${path}:\\d+:\\d+ is not valid ${language}: `))
    }
  })

  it('names the file and the place of what is not valid TypeScript', async () => {
    const faults = checkSyntax([
      { path: 'good.ts', text: 'export const a = 1\n' },
      {
        path: 'toolsets/orders/types.ts',
        text: 'export const b = "😀"\nexport const c = "ü😀"; export const d: = 2\n',
      },
    ])
    expect(faults).toMatchObject([
      {
        code: 'TG9001',
        severity: 'error',
        message: expect.stringMatching(
          /^The generated file toolsets\/orders\/types\.ts:2:41 is not valid TypeScript: /,
        ),
      },
    ])
  })
})

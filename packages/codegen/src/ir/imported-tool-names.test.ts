import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { importedToolNames, isToolName } from './tool-names.js'

function toolNames(...names: readonly string[]): readonly string[] {
  return importedToolNames(names).map(({ toolName }) => toolName)
}

function tools(...names: readonly string[]): readonly string[] {
  return importedToolNames(names).map(({ tool }) => tool)
}

describe('names of tools that come from elsewhere', () => {
  it('stay for models what they are where they are legal', () => {
    expect(toolNames('get_order', 'get-order', 'getOrder2')).toEqual(['get_order', 'get-order', 'getOrder2'])
  })

  it('have other characters replaced', () => {
    expect(toolNames('math.factorial', 'my shop/get order!', 'größe')).toEqual([
      'math_factorial',
      'my_shop_get_order',
      'gr_e',
    ])
  })

  it('are identifiers in a toolset', () => {
    expect(tools('math.factorial', 'get_order-by id', '3d.render', 'URL.fetch')).toEqual([
      'mathFactorial',
      'getOrderById',
      '_3dRender',
      'urlFetch',
    ])
  })

  it('get a hash if their normalized forms are equal, and a number if they are equal', () => {
    const [dot, underscore, again, third] = importedToolNames(['math.sum', 'math_sum', 'math.sum', 'math.sum'])
    expect([dot?.toolName, dot?.tool]).toEqual(['math_sum', 'mathSum'])
    expect([underscore?.toolName, underscore?.tool]).toEqual(['math_sum_b2b6f7', 'mathSum_b2b6f7'])
    expect([again?.toolName, again?.tool]).toEqual(['math_sum_2', 'mathSum_2'])
    expect([third?.toolName, third?.tool]).toEqual(['math_sum_3', 'mathSum_3'])
  })

  it('differ in more than case', () => {
    const [, second] = toolNames('GetOrder', 'getorder')
    expect(second).toMatch(/^getorder_[0-9a-f]{6}$/)
  })

  it('are cut where they are too long, and stay apart', () => {
    const long = 'x'.repeat(80)
    const [first, second] = toolNames(`${long}a`, `${long}b`)
    expect(first).toMatch(/^x{57}_[0-9a-f]{6}$/)
    expect(second).not.toBe(first)
  })

  it('are made of a hash where nothing can be kept', () => {
    expect(toolNames('天気', '', '...')).toEqual([
      expect.stringMatching(/^tool_[0-9a-f]{6}$/),
      expect.stringMatching(/^tool_[0-9a-f]{6}$/),
      expect.stringMatching(/^tool_[0-9a-f]{6}$/),
    ])
    expect(tools('天気')).toEqual(['天気'])
  })

  it('are legal and unique for any list, and do not change when one is appended', () => {
    const name = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('a', 'A', '.', '_', '-', ' ', '2', 'é'), maxLength: 6 }),
      fc.string({ unit: fc.constantFrom('a', '.'), minLength: 60, maxLength: 70 }),
      fc.constantFrom('__proto__', 'constructor', 'toString', 'class', 'a_2', 'a_3'),
    )
    fc.assert(
      fc.property(fc.array(name, { maxLength: 30 }), name, (names, another) => {
        const given = importedToolNames(names)
        expect(given.map(({ foreign }) => foreign)).toEqual(names)
        expect(given.every(({ toolName }) => isToolName(toolName))).toBe(true)
        expect(given.every(({ tool }) => /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(tool))).toBe(true)
        for (const kind of ['toolName', 'tool'] as const) {
          expect(new Set(given.map((names) => names[kind].toLowerCase())).size).toBe(names.length)
        }
        expect(importedToolNames([...names, another]).slice(0, -1)).toEqual(given)
      }),
      { numRuns: 100 },
    )
  })
})

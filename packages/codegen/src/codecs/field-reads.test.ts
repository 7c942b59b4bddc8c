import { describe, expect, it } from 'vitest'
import type { CodecScope } from './code.js'
import { FieldReads, parametersText } from './field-reads.js'

const scope: CodecScope = {
  defs: {},
  stemOf: String,
  language: 'ts',
  claim: (wanted) => wanted,
  declare: () => {},
  checkpoint: () => () => {},
}

/**
 * Returns the fields that the parameter list destructures. The function body reads each field twice and also contains `code`.
 */
function localsOf(fields: readonly string[], code = ''): readonly string[] {
  const reads = new FieldReads({ stem: 'Order', mode: 'm' })
  const text = fields.map((name) => `${reads.operand(name).value} || ${reads.operand(name).value}`).join(' && ')
  return reads.settled(`${text}${code}`, 1).locals
}

describe('a field', () => {
  it('that is read twice is read by the head, one that is read once where it stands', () => {
    const reads = new FieldReads({ stem: 'Order', mode: 'm' })
    const once = reads.operand('id').value
    const twice = reads.operand('note').value
    const { locals, written } = reads.settled(`${once} && (${twice} === undefined || f(${twice}))`, 1)
    expect(locals).toEqual(['note'])
    expect(written(`${once} && (${twice} === undefined || f(${twice}))`)).toBe(
      'v.id && (note === undefined || f(note))',
    )
  })

  it.each([
    'a-b',
    '1',
    'class',
    'undefined',
    'Number',
    'await',
    'is',
    'serialize',
    'strip',
    'v',
    'm',
    'o',
    'constructor',
    '__proto__',
    'naïve',
    '',
  ])('of the name %j stays where it is', (name) => {
    expect(localsOf([name, 'note'])).toEqual(['note'])
  })

  it('does not hide what the code uses, but may be called like a property', () => {
    expect(localsOf(['is', 'isOrderLine', 'text'], ' && isOrderLine(v, m) && is.string(v)')).toEqual(['text'])
  })

  it('has a place named after it', () => {
    expect(new FieldReads({ stem: 'Order', mode: 'm' }).operand('line-items').stem).toBe('OrderLineItems')
  })
})

describe('the parameters of a function', () => {
  it('hold the object only where it is used', () => {
    expect(parametersText('v.id', [], scope)).toBe('v: any')
    expect(parametersText('v.id + note', ['note'], scope)).toBe('v: any, { note }: any = v')
    expect(parametersText('note', ['note'], scope)).toBe('{ note }: any')
    expect(parametersText('1', [], { ...scope, language: 'js' })).toBe('_v')
  })
})

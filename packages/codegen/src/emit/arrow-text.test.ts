import { describe, expect, it } from 'vitest'
import { arrowProperty } from './agent.js'

const long = (length: number): string => 'X'.repeat(length)

describe('an arrow function as a property', () => {
  it('stands on one line where that fits', () => {
    const text = arrowProperty({
      name: 'payload',
      parameters: ['payload: P'],
      returns: 'A',
      body: '[payload.id]',
      indent: 6,
    })
    expect(text).toBe('payload: (payload: P): A => [payload.id]')
    expect(arrowProperty({ name: 'call', body: 'f()', indent: 6 })).toBe('call: () => f()')
  })

  it('has a long body of one line below its arrow', () => {
    const parameter = `payload: ${long(60)}`
    const body = '[payload.origin, payload.destination, payload.date]'
    expect(arrowProperty({ name: 'payload', parameters: [parameter], returns: 'A', body, indent: 6 })).toBe(
      `payload: (${parameter}): A =>\n  ${body}`,
    )
  })

  it('breaks its parameter off before a body that opens on its line', () => {
    const parameter = `payload: ${long(70)}`
    const body = '[{\n  userId: payload.user_id,\n}]'
    expect(arrowProperty({ name: 'payload', parameters: [parameter], returns: long(20), body, indent: 6 })).toBe(
      `payload: (\n  ${parameter},\n): ${long(20)} => ${body}`,
    )
  })

  it('has no line over 120 columns that could be shorter', () => {
    for (let width = 1; width <= 100; width += 1) {
      for (const body of ['[payload.origin, payload.destination]', '[{\n  a: payload.a,\n}]']) {
        const text = arrowProperty({
          name: 'payload',
          parameters: [`payload: ${long(width)}`],
          returns: 'Args',
          body,
          indent: 6,
        })
        for (const line of text.split('\n')) expect(6 + line.length).toBeLessThanOrEqual(120)
      }
    }
  })
})

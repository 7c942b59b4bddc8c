import { describe, expect, it } from 'vitest'
import { slowText } from './rules-safety.js'

describe('a text that a pattern is slow to refuse', () => {
  it.each([
    '^(a+)+$',
    '^(\\w+\\s?)*$',
    '^order-(x+x+)+y',
    '^(a|a)*$',
    '^(a|aa)+$',
    '^([a-c]|b)*d$',
    '^([^"]+)+"$',
    '^([A-Z0-9]+[-_]?)*#$',
    '^(.*a){12}$',
  ])('is found of %s', (pattern) => {
    expect(slowText(pattern)?.length).toBeLessThan(300)
  })

  it.each([
    '^[A-Z]+$',
    '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$',
    '^[a-z0-9]+(-[a-z0-9]+)*$',
    '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?Z?)?$',
    '^(?:[a-z]+\\.)+[a-z]{2,}$',
    '^\\s*\\w+\\s*$',
    '^(?=.*a)(?=.*b).{8,}$',
    '^\\p{L}+(?: \\p{L}+)*$',
    '^.*,.*,.*$',
    '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
    '(',
  ])('is not found of %s', (pattern) => {
    expect(slowText(pattern)).toBeUndefined()
  })
})

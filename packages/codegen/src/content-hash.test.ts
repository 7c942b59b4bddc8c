import { expect, it } from 'vitest'
import { contentHash } from './files.js'

it('is SHA-256 over the bytes', () => {
  expect(contentHash('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

it('reads CRLF as LF, and nothing else', () => {
  expect(contentHash('a\r\nü\r\n')).toBe(contentHash('a\nü\n'))
  expect(contentHash('a\rb')).not.toBe(contentHash('a\nb'))
  expect(contentHash('a\r\r\n')).not.toBe(contentHash('a\n'))
})

it('distinguishes bytes that are not UTF-8', () => {
  expect(contentHash(new Uint8Array([0xff, 0x0d, 0x0a]))).toBe(contentHash(new Uint8Array([0xff, 0x0a])))
  expect(contentHash(new Uint8Array([0xff]))).not.toBe(contentHash(new Uint8Array([0xfe])))
})

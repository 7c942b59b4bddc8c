import { expect, it } from 'vitest'
import { foldersOf, isOutputPath } from './files.js'

it.each(['a.ts', 'toolsets/orders/types.ts', 'a/..b/c', 'ü/x.ts'])('%j lies inside the output folder', (path) => {
  expect(isOutputPath(path)).toBe(true)
})

it.each(['', '/', '/etc/passwd', '../x', 'a/../../x', 'a/..', './a', 'a//b', 'a/', 'C:/x', 'a\\..\\b', 'a\0b', 'a\nb'])(
  '%j does not',
  (path) => {
    expect(isOutputPath(path)).toBe(false)
  },
)

it('lists the folders of a path, outermost first', () => {
  expect(foldersOf('a/b/c.ts')).toEqual(['a', 'a/b'])
  expect(foldersOf('c.ts')).toEqual([])
})

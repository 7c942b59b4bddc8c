import { compiledModule } from '../compiled-modules.mjs'

const shapes = await compiledModule('typia')

export const name = 'typia 12'

export const operations = {
  validate: (shape) => shapes[shape].equals,
  decode: (shape) => {
    const { equals } = shapes[shape]
    return (text) => {
      const value = JSON.parse(text)
      return equals(value) ? value : undefined
    }
  },
  strip: (shape) => {
    const { isPrune } = shapes[shape]
    return (text) => {
      const value = JSON.parse(text)
      return isPrune(value) ? value : undefined
    }
  },
  issues: (shape) => {
    const { validateEquals } = shapes[shape]
    return (value) => {
      const result = validateEquals(value)
      return result.success ? [] : result.errors
    }
  },
  encode: (shape) => shapes[shape].stringify,
}

export const pointers = (issue) => [issue.path.slice('$input'.length).replaceAll(/\[(\d+)\]|\.(\w+)/g, '/$1$2')]

import { compiledModule } from '../compiled-modules.mjs'

const shapes = await compiledModule('typia')

export const name = 'typia 12 createIs, ignores unknown keys'

export const operations = {
  validate: (shape) => shapes[shape].is,
}

export const ignoresUnknownKeys = true

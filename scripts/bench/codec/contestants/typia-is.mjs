import { compiledModule } from '../compiled-modules.mjs'

const shapes = await compiledModule('typia')

export const name = 'typia 12 createIs, unknown keys pass'

export const operations = {
  validate: (shape) => shapes[shape].is,
}

export const ignoresUnknownKeys = true

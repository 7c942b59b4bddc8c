import { decode } from './decode.mjs'
import { defaults } from './defaults.mjs'
import { encode } from './encode.mjs'
import { issues } from './issues.mjs'
import { strip } from './strip.mjs'
import { validate } from './validate.mjs'

/**
 * What is measured, by name. Each says whether it finds faults (`checks`), against whom it is measured (`against`, a
 * contestant's file), the aims for toolgen shape by shape, what is run (`inputs`), what is wrong about a contestant
 * (`mistakes`), and what keeps a result from being optimised away (`weigh`, a number).
 */
export const operations = { validate, decode, strip, defaults, issues, encode }

import type { Schema } from '../schema/json/json-schema.js'
import type { Code } from './code.js'
import type { Place } from './codec-scope.js'

/** Makes the check of a part. */
export type PartCheck = (schema: Schema, place: Place) => Code | undefined

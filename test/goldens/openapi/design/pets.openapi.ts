// This module is yours: later imports do not change it. Options of `importedToolset` select and change tools.
import { importedToolset } from '@toolgen/dsl'
import { petsSnapshot } from './pets.openapi.snapshot.js'

/** Operations of Pets. */
export const pets = importedToolset(petsSnapshot)

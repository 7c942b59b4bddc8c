import type { Catalogue } from './catalogue-entry.js'
import { commandCatalogue } from './command.js'
import { configCatalogue } from './config.js'
import { designCatalogue } from './design.js'
import { diffCatalogue } from './diff.js'
import { emitCatalogue } from './emit.js'
import { importCatalogue } from './import.js'
import { lintCatalogue } from './lint.js'
import { schemaCatalogue } from './schema.js'
import { serveCatalogue } from './serve.js'
import { serviceCatalogue } from './service.js'
import { tokensCatalogue } from './tokens.js'
import { writeCatalogue } from './write.js'

/** The long form of every diagnostic, by code. */
export const catalogue: Catalogue = {
  ...commandCatalogue,
  ...configCatalogue,
  ...designCatalogue,
  ...schemaCatalogue,
  ...serviceCatalogue,
  ...emitCatalogue,
  ...writeCatalogue,
  ...importCatalogue,
  ...serveCatalogue,
  ...diffCatalogue,
  ...lintCatalogue,
  ...tokensCatalogue,
}

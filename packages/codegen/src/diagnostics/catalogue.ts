import { commandCatalogue } from './catalogue/command.js'
import { configCatalogue } from './catalogue/config.js'
import { designCatalogue } from './catalogue/design.js'
import { emitCatalogue } from './catalogue/emit.js'
import { schemaCatalogue } from './catalogue/schema.js'
import { serviceCatalogue } from './catalogue/service.js'
import { writeCatalogue } from './catalogue/write.js'
import type { Catalogue } from './catalogue-entry.js'

/** The long form of every diagnostic, by code. */
export const catalogue: Catalogue = {
  ...commandCatalogue,
  ...configCatalogue,
  ...designCatalogue,
  ...schemaCatalogue,
  ...serviceCatalogue,
  ...emitCatalogue,
  ...writeCatalogue,
}

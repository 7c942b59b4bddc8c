/**
 * How this package names itself to the other side of a connection where the application gives no name of its own. The
 * version is the package's; it is written here, since what is bundled has no package.json to read.
 */
export const ownName: { readonly name: string; readonly version: string } = { name: 'toolgen', version: '0.1.0' }

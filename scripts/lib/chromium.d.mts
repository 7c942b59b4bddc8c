export const chromiumPath: string | undefined
export const launchOptions: { executablePath: string; args: string[] }

interface OpenApi {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly responses: Readonly<Record<string, unknown>> }>>
    >
  >
}

/** The statuses that the OpenAPI document describes, read from the first Sheaf that is asked for them. */
export class DescribedStatuses {
  private described?: Promise<ReadonlySet<string>>

  /** Reads the document of the Sheaf at this address, unless it was read before. */
  async learn(url: string): Promise<void> {
    this.described ??= readDescribed(url)
    await this.described
  }

  /** Returns the responses of API routes that the document does not describe; none before `learn`. */
  async findUndescribed(seen: readonly string[]): Promise<string[]> {
    const described = await this.described
    if (!described) return []
    return seen.filter((response) => response.includes(' /api/') && !described.has(response)).sort()
  }
}

async function readDescribed(url: string): Promise<ReadonlySet<string>> {
  const response = await fetch(`${url}/api/openapi.json`)
  const { paths } = (await response.json()) as OpenApi
  const described = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { responses }]) =>
      Object.keys(responses).map((status) => `${method.toUpperCase()} ${path} ${status}`),
    ),
  )
  return new Set(described)
}

"""Distributions of probability, continuous and discrete."""

import math
import statistics

from sheaf.functions.beta_integral import regularized_beta, t_at_tail, t_tail
from sheaf.functions.values import as_list

_STANDARD = statistics.NormalDist()
# Sums over more terms than this take long and add nothing that a double can hold.
_MOST_TERMS = 1_000_000


def _require(condition, message):
    if not condition:
        raise ValueError(message)


def _normal(mean, standard_deviation):
    _require(standard_deviation > 0, "the standard deviation must be positive")
    return statistics.NormalDist(mean, standard_deviation)


def _require_probability(probability):
    _require(0 < probability < 1, "a probability between 0 and 1 is needed")


def _log_choices(n, k):
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def NORMDIST(x, mean, standard_deviation, cumulative):
    """Return the probability below x, or the density at x, of a normal distribution."""
    distribution = _normal(mean, standard_deviation)
    return distribution.cdf(x) if cumulative else distribution.pdf(x)


def NORMINV(x, mean, standard_deviation):
    """Return the value below which a normal distribution has the probability x."""
    _require_probability(x)
    return _normal(mean, standard_deviation).inv_cdf(x)


def NORMSDIST(x):
    """Return the probability below x of the standard normal distribution."""
    return _STANDARD.cdf(x)


def NORMSINV(x):
    """Return the value below which the standard normal distribution has the probability x."""
    _require_probability(x)
    return _STANDARD.inv_cdf(x)


def LOGNORMDIST(x, mean, standard_deviation):
    """Return the probability below x of a distribution whose logarithm is normal."""
    return _normal(mean, standard_deviation).cdf(math.log(x))


def LOGINV(x, mean, standard_deviation):
    """Return the value below which a distribution whose logarithm is normal has the probability x."""
    return math.exp(NORMINV(x, mean, standard_deviation))


def CONFIDENCE(alpha, standard_deviation, pop_size):
    """Return half the width of the interval of confidence of a mean."""
    _require_probability(alpha)
    _require(standard_deviation > 0 and pop_size >= 1, "a positive deviation and a size of 1 or more are needed")
    return _STANDARD.inv_cdf(1 - alpha / 2) * standard_deviation / math.sqrt(int(pop_size))


def _binomial(successes, trials, probability):
    if probability in (0, 1):
        return float(successes == trials * probability)
    log = _log_choices(trials, successes) + successes * math.log(probability)
    if trials <= 1000:
        return math.comb(trials, successes) * probability**successes * (1 - probability) ** (trials - successes)
    return math.exp(log + (trials - successes) * math.log1p(-probability))


def BINOMDIST(num_successes, num_trials, prob_success, cumulative):
    """Return the probability of a number of successes, or of at most that many, in independent trials."""
    successes, trials = int(num_successes), int(num_trials)
    _require(0 <= successes <= trials <= _MOST_TERMS and 0 <= prob_success <= 1, "0 <= successes <= trials is needed")
    if cumulative:
        return math.fsum(_binomial(number, trials, prob_success) for number in range(successes + 1))
    return _binomial(successes, trials, prob_success)


def CRITBINOM(num_trials, prob_success, target_prob):
    """Return the least number of successes that is not exceeded with the target probability."""
    trials = int(num_trials)
    _require(0 <= trials <= _MOST_TERMS, "the number of trials must not be negative or too large")
    _require_probability(target_prob)
    total = 0.0
    for successes in range(trials + 1):
        total += _binomial(successes, trials, prob_success)
        if total >= target_prob:
            return successes
    return trials


def NEGBINOMDIST(num_failures, num_successes, prob_success):
    """Return the probability of a number of failures before a number of successes."""
    failures, successes = int(num_failures), int(num_successes)
    _require(failures >= 0 and successes >= 1 and 0 < prob_success < 1, "failures, successes and a probability are needed")
    log = _log_choices(failures + successes - 1, successes - 1)
    return math.exp(log + successes * math.log(prob_success) + failures * math.log1p(-prob_success))


def HYPGEOMDIST(num_successes, num_draws, successes_in_pop, pop_size):
    """Return the probability of a number of successes among draws without replacement."""
    found, draws, good, size = map(int, (num_successes, num_draws, successes_in_pop, pop_size))
    _require(0 <= found <= min(draws, good) and draws - found <= size - good, "such a draw is not possible")
    log = _log_choices(good, found) + _log_choices(size - good, draws - found) - _log_choices(size, draws)
    if size > 1000:
        return math.exp(log)
    return math.comb(good, found) * math.comb(size - good, draws - found) / math.comb(size, draws)


def POISSON(x, mean, cumulative):
    """Return the probability of x events, or of at most x, where mean events are expected."""
    events = int(x)
    _require(0 <= events <= _MOST_TERMS and mean >= 0, "numbers of events must not be negative or too large")
    if mean == 0:
        return float(cumulative or events == 0)

    def probability(number):
        return math.exp(number * math.log(mean) - mean - math.lgamma(number + 1))

    return math.fsum(map(probability, range(events + 1))) if cumulative else probability(events)


def EXPONDIST(x, lambda_, cumulative):
    """Return the probability below x, or the density at x, of an exponential distribution."""
    _require(x >= 0 and lambda_ > 0, "x must not be negative and lambda must be positive")
    return -math.expm1(-lambda_ * x) if cumulative else lambda_ * math.exp(-lambda_ * x)


def WEIBULL(x, shape, scale, cumulative):
    """Return the probability below x, or the density at x, of a Weibull distribution."""
    _require(x >= 0 and shape > 0 and scale > 0, "x must not be negative, shape and scale must be positive")
    power = (x / scale) ** shape
    return -math.expm1(-power) if cumulative else shape / scale * (x / scale) ** (shape - 1) * math.exp(-power)


def TDIST(x, degrees_freedom, tails):
    """Return the probability above x in one tail, or in two tails, of the distribution t."""
    _require(x >= 0 and degrees_freedom >= 1 and tails in (1, 2), "x >= 0, a degree of freedom and 1 or 2 tails are needed")
    return t_tail(x, int(degrees_freedom)) * tails


def TINV(probability, degrees_freedom):
    """Return the value that the distribution t exceeds in two tails with a probability."""
    _require(0 < probability <= 1 and degrees_freedom >= 1, "a probability and a degree of freedom are needed")
    return t_at_tail(probability / 2, int(degrees_freedom))


def T_INV_2T(probability, degrees_freedom):
    """Return the value that the distribution t exceeds in two tails with a probability."""
    return TINV(probability, degrees_freedom)


def T_INV(probability, degrees_freedom):
    """Return the value below which the distribution t has a probability."""
    _require_probability(probability)
    _require(degrees_freedom >= 1, "a degree of freedom is needed")
    return t_at_tail(1 - probability, int(degrees_freedom))


def F_DIST_RT(x, degrees_freedom1, degrees_freedom2):
    """Return the probability above x of the distribution F."""
    first, second = int(degrees_freedom1), int(degrees_freedom2)
    _require(x >= 0 and first >= 1 and second >= 1, "x >= 0 and degrees of freedom are needed")
    return regularized_beta(second / (second + first * x), second / 2, first / 2)


def FDIST(x, degrees_freedom1, degrees_freedom2):
    """Return the probability above x of the distribution F."""
    return F_DIST_RT(x, degrees_freedom1, degrees_freedom2)


def F_DIST(x, degrees_freedom1, degrees_freedom2, cumulative):
    """Return the probability below x, or the density at x, of the distribution F."""
    first, second = int(degrees_freedom1), int(degrees_freedom2)
    _require(x >= 0 and first >= 1 and second >= 1, "x >= 0 and degrees of freedom are needed")
    if cumulative:
        return regularized_beta(first * x / (first * x + second), first / 2, second / 2)
    if x == 0:
        return math.inf if first == 1 else float(first == 2)
    a, b = first / 2, second / 2
    log = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(first / second)
    return math.exp(log + (a - 1) * math.log(x) - (a + b) * math.log1p(first * x / second))


def PROB(data, probabilities, low_limit, high_limit=None):
    """Return the probability that a value lies between two limits, from a list of values and one of probabilities."""
    high = low_limit if high_limit is None else high_limit
    values, shares = as_list(data), as_list(probabilities)
    _require(len(values) == len(shares), "the lists must have the same length")
    _require(all(0 < share <= 1 for share in shares), "each probability is above 0 and at most 1")
    _require(abs(math.fsum(shares) - 1) < 1e-9, "the probabilities must add up to 1")
    return math.fsum(share for value, share in zip(values, shares) if low_limit <= value <= high)

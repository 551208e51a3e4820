#ifndef CHOGWEED_SHIM_H
#define CHOGWEED_SHIM_H

#include <nettle/bignum.h>
#include <nettle/ecc-curve.h>
#include <nettle/ecc.h>
#include <stdint.h>
#include <string.h>

enum {
    CHOGWEED_P384_SCALAR_BYTES = 48,
    CHOGWEED_P384_POINT_BYTES = 49,
};

/* GMP frees numbers as they are; this one was secret. */
static inline void chogweed_forget_number(mpz_t number) {
    size_t limbs = mpz_size(number);
    if (limbs > 0) explicit_bzero(mpz_limbs_modify(number, (mp_size_t)limbs), limbs * sizeof(mp_limb_t));
    mpz_clear(number);
}

static inline void chogweed_forget_scalar(struct ecc_scalar *scalar, const struct ecc_curve *curve) {
    explicit_bzero(scalar->p, (size_t)ecc_size(curve) * sizeof(mp_limb_t));
    ecc_scalar_clear(scalar);
}

/* SEC 1, 2.3.3: 2 or 3 for an even or odd y, then x in big-endian order. */
static inline void chogweed_write_compressed(const struct ecc_point *product, uint8_t *point) {
    mpz_t x, y;
    mpz_init(x);
    mpz_init(y);
    ecc_point_get(product, x, y);
    point[0] = mpz_odd_p(y) ? 3 : 2;
    nettle_mpz_get_str_256(CHOGWEED_P384_POINT_BYTES - 1, point + 1, x);
    mpz_clear(x);
    mpz_clear(y);
}

/* Writes the compressed product of a big-endian scalar and P-384's generator. Returns 0, and writes nothing, for a scalar
   that is 0 or not below the group's order.

   It is in C because the sizes of what is cleared are limbs and mpz_odd_p is a macro. Copies of the scalar that are made
   here are overwritten before they are freed; what ecc_point_mul_g needs while it computes, it frees as it is. No memory is
   shared between calls, so any number of threads may be in it. */
static inline int chogweed_p384_generator_times(const uint8_t *bytes, uint8_t *point) {
    const struct ecc_curve *curve = nettle_get_secp_384r1();
    struct ecc_scalar scalar;
    struct ecc_point product;
    mpz_t number;
    int is_in_range;

    nettle_mpz_init_set_str_256_u(number, CHOGWEED_P384_SCALAR_BYTES, bytes);
    ecc_scalar_init(&scalar, curve);
    is_in_range = ecc_scalar_set(&scalar, number);
    chogweed_forget_number(number);
    if (is_in_range) {
        ecc_point_init(&product, curve);
        ecc_point_mul_g(&product, &scalar);
        chogweed_write_compressed(&product, point);
        ecc_point_clear(&product);
    }
    chogweed_forget_scalar(&scalar, curve);
    return is_in_range;
}

#endif
